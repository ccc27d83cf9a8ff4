import { unpairedNamespace } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { testStore } from "../../store/testing/test-store.ts";
import { at, put } from "../../store/testing/world.ts";
import type { CliDeps } from "./deps.ts";
import { runCli } from "./run-cli.ts";

test("[IM19] whatever was written of an export that was stopped ends in a line that is no record", async () => {
  const store = testStore();
  const narrative = "word ".repeat(2_000);
  const notes = Array.from({ length: 120 }, (_, index) =>
    put(`record${index}`, { title: `Note ${index}`, narrative }),
  );
  expect(store.changes.change(unpairedNamespace, notes, at).ok).toBe(true);
  const pieces: string[] = [];
  const deps = {
    io: {
      out: (text: string) => pieces.push(text),
      err: () => undefined,
      isOutTty: false,
      isErrTty: false,
      hasColour: false,
      hasPerson: false,
    },
    clock: { nowMs: () => at },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({ store, hasSpooled: () => false }),
    home: () => ({ identity: () => undefined }),
  };
  expect(await runCli(deps as unknown as CliDeps, ["export"])).toBe(0);
  expect(pieces.length).toBeGreaterThan(3);
  let written = "";
  for (const piece of pieces.slice(0, -1)) {
    written += piece;
    const last = written.split("\n").at(-1) ?? "";
    expect(() => void JSON.parse(last)).toThrow(SyntaxError);
  }
  const whole = pieces.join("").trimEnd().split("\n");
  expect(whole.map((line) => typeof JSON.parse(line))).toHaveLength(120);
});
