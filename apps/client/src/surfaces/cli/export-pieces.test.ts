import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpairedNamespace } from "@tidemark/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createFolder, createTextFile } from "../../platform/text-file.ts";
import { testStore } from "../../store/testing/test-store.ts";
import { at, put } from "../../store/testing/world.ts";
import type { CliDeps } from "./deps.ts";
import { runCli } from "./run-cli.ts";

/** The command line over a memory of some megabytes; `over` stands in for parts of it. */
function exporting(over: object) {
  const store = testStore();
  const narrative = "word ".repeat(2_000);
  const notes = Array.from({ length: 120 }, (_, index) =>
    put(`record${index}`, { title: `Note ${index}`, narrative }),
  );
  expect(store.changes.change(unpairedNamespace, notes, at).ok).toBe(true);
  const pieces: string[] = [];
  const told: string[] = [];
  const deps = {
    io: {
      out: (text: string) => pieces.push(text),
      err: (text: string) => told.push(text),
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
    ...over,
  } as unknown as CliDeps;
  return { deps, pieces, told };
}

test("[IM19] whatever was written of an export that was stopped ends in a line that is no record", async () => {
  const { deps, pieces } = exporting({});
  expect(await runCli(deps, ["export"])).toBe(0);
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

test("[CL65] an export that a person ends leaves no file, says so and ends with 130", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-export-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, "memory.jsonl");
  const stop = new AbortController();
  let nowMs = at;
  const seen: (readonly string[])[] = [];
  const { deps, told } = exporting({
    files: { create: createTextFile },
    signal: stop.signal,
    // Each look at the clock finds that much time has gone by.
    clock: { nowMs: () => (nowMs += 1_000) },
    sleep: async () => {
      seen.push(readdirSync(folder));
      if (seen.length === 2) stop.abort();
      await Promise.resolve();
    },
  });
  expect(await runCli(deps, ["export", "--json", "--output", path])).toBe(130);
  expect(seen).toEqual([["memory.jsonl"], ["memory.jsonl"]]);
  expect(readdirSync(folder)).toEqual([]);
  expect(JSON.parse(told.join(""))).toMatchObject({
    error: { code: "interrupted", message: "stopped before the end: there is no export" },
  });
});

/** An export into this folder that a person ends at the second look at the signal, or later. */
async function stoppedInto(folder: string, looks: number, ...argv: readonly string[]) {
  const stop = new AbortController();
  let nowMs = at;
  const seen: (readonly string[])[] = [];
  const { deps, told, pieces } = exporting({
    files: { create: createTextFile, createFolder },
    signal: stop.signal,
    clock: { nowMs: () => (nowMs += 1_000) },
    sleep: async () => {
      seen.push(readdirSync(folder, { recursive: true }).map(String).toSorted());
      if (seen.length === looks) stop.abort();
      await Promise.resolve();
    },
  });
  const code = await runCli(deps, ["export", "--json", ...argv]);
  return { code, told, pieces, seen };
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-export-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

const noExport = {
  error: { code: "interrupted", message: "stopped before the end: there is no export" },
};

test("[CL65] an export as Markdown that a person ends leaves no folder, while it reads or writes", async () => {
  for (const looks of [2, 150]) {
    const folder = emptyFolder();
    const out = join(folder, "new", "memory");
    const { code, told, seen } = await stoppedInto(folder, looks, "--format", "markdown", "--out", out); // prettier-ignore
    expect([looks, code, seen.length]).toEqual([looks, 130, looks]);
    const isWriting = looks > 120;
    expect(seen.at(-1)).toEqual(
      isWriting ? ["new", "new/memory", "new/memory/without-a-project.md"] : [],
    );
    expect(readdirSync(folder)).toEqual([]);
    expect(JSON.parse(told.join(""))).toMatchObject(noExport);
  }
});

test("[CL65] an export as Markdown into an empty folder that is there leaves it empty", async () => {
  const folder = emptyFolder();
  const { code } = await stoppedInto(folder, 150, "--format", "markdown", "--out", folder);
  expect(code).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});

test("[CL65] an export as one document that a person ends prints nothing of it", async () => {
  const { code, told, pieces } = await stoppedInto(emptyFolder(), 2);
  expect([code, pieces]).toEqual([130, []]);
  expect(JSON.parse(told.join(""))).toMatchObject(noExport);
});
