import { ok, type WriterId } from "@tidemark/protocol";
import type { RevisionsAnswer } from "@tidemark/protocol/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { make, put, world } from "../../../store/testing/world.ts";
import type { Store } from "../../../store/store.ts";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";
import { createToldIo } from "../testing/told-io.ts";

const old = { lamport: 1, writer: "w_old" as WriterId };
const older: RevisionsAnswer = {
  revisions: [{ field: "title", value: "before", at: 1, ...old, replacedBy: old }],
  writers: [],
};

let store: Store;
beforeEach(() => {
  ({ a: store } = world());
});

afterEach(() => {
  store.close();
});

/** Runs `history` over the real store, with what a server answers. */
async function history(answer: RevisionsAnswer, ...argv: readonly string[]): Promise<string> {
  const { io, told } = createToldIo();
  const deps = {
    io,
    clock: { nowMs: () => 1_700_000_000_000 },
    version: "0.0.0",
    signal: new AbortController().signal,
    after: () => new AbortController().signal,
    memory: () => ({ store }),
    home: () => ({ identity: () => ({ user: { name: "Ada" } }) }),
    server: () => ({ transport: { revisions: () => ok(answer) } }),
  };
  expect(await runCli(deps as unknown as CliDeps, ["history", ...argv])).toBe(0);
  return told.out;
}

test("[WR41] the history says where the server keeps older values than it told", async () => {
  const id = "record1";
  make(store, put(id, { title: "now" }));
  const cut = { ...older, more: true };
  expect(await history(cut, id)).toMatch(
    /before[^]*\nthe newest values; the server keeps older ones\n$/,
  );
  expect(JSON.parse(await history(cut, id, "--json"))).toMatchObject({
    source: "server",
    more: true,
  });
  expect(await history(older, id)).not.toContain("keeps older");
  expect(JSON.parse(await history(older, id, "--json"))).not.toHaveProperty("more");
});
