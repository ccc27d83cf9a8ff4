import { afterEach, beforeEach, expect, test } from "vitest";
import {
  chainNext,
  chainStart,
  valueHash,
  type NamespaceId,
  type WriterId,
} from "../../packages/protocol/src/index.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import type { Device } from "./device.ts";
import { createWorld, settle, type World } from "./world.ts";

const { signal } = new AbortController();
const writer = "zz-changed-client" as WriterId;
let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => {
  world.close();
});

/** A device's client that was changed: it pushes whatever ops it likes, under a writer of its own. */
function changedClient(
  device: Device,
  namespace: NamespaceId,
): (op: Readonly<Record<string, unknown>>) => Promise<void> {
  let n = 0;
  let chain = chainStart(sha256, writer);
  return async (op) => {
    const header = { writer, after: n, chain };
    n += 1;
    const line = JSON.stringify({ n, ...op });
    chain = chainNext(sha256, chain, line);
    const plan = { header, lines: [line], ackedAtRequest: header.after, hasMore: false };
    const pushed = await device.transport.push(namespace, plan, signal);
    if (!pushed.ok) throw new Error(JSON.stringify(pushed.error));
    expect(pushed.value.results.filter(({ result }) => result !== "conflict")).toEqual([]);
  };
}

test("[HL39] a record that comes to be larger than any heal is taken as the server has it, and all goes on", async () => {
  const namespace = await world.team("team");
  const mallory = await world.member("mallory", namespace, "writer");
  const [a, b] = [world.a.at(namespace), world.b.at(namespace)];
  const push = changedClient(mallory, namespace);
  a.put("x", { title: "x" });
  await settle(world, a, b);
  const lamport = world.server.namespace(namespace).head.lamport + 1;
  const evil = { record: "evil", collection: "observation", lamport, at: 1 };
  const big = "a".repeat(64_000);
  // Each round makes the fields of before small under the clock that they had: who pulls keeps its own.
  const fieldsOf = (round: number): readonly string[] =>
    Array.from({ length: 15 }, (_, at) => `g${round}_${at}`);
  const all = (round: number, value: unknown): Readonly<Record<string, unknown>> =>
    Object.fromEntries(fieldsOf(round).map((field) => [field, value]));
  await push({ op: "put", ...evil, fields: { title: "t" } });
  await a.sync();
  for (let round = 0; round < 6; round += 1) {
    if (round > 0) {
      const base = all(round - 1, [lamport, writer, valueHash(sha256, big)]);
      await push({ op: "set", ...evil, fields: all(round - 1, "b"), base });
    }
    for (const field of fieldsOf(round)) {
      await push({ op: "set", ...evil, fields: { [field]: big }, base: {} });
    }
    await a.pull();
  }
  a.put("mine", { title: "my words" });
  await settle(world, a, b);
  expect(b.title("mine")).toBe("my words");
  expect(a.replica).toMatchObject({ verified: true, unverified: 0 });
});
