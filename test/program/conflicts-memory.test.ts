import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { RecordId, RecordState, WriterId } from "../../packages/protocol/src/index.ts";
import { afterAll, expect, test } from "vitest";
import type { Store } from "../../apps/client/src/store/store.ts";
import { askPage, pairedStore } from "../../apps/client/src/store/testing/exchange.ts";
import { TestServer } from "../../apps/client/src/store/testing/test-server.ts";
import { namespace } from "../../apps/client/src/store/testing/world.ts";
import { createDevices } from "./client-process.ts";

const devices = createDevices();
afterAll(() => {
  devices.clear();
});

/** Far less than the records in conflict hold, and enough for the program and one of them. */
const heapMib = 48;
const records = 96;

const clock = { lamport: 1, writer: "w1" as WriterId };
const register = (value: string | number) => ({ value, clock, at: 1 });

/** A record of 15 fields, a megabyte in all. */
function large(name: string): RecordState {
  const fields = Array.from({ length: 15 }, (_, at) => [`f${at}`, register("x".repeat(60_000))]);
  const registers = Object.fromEntries([["title", register(`stands in ${name}`)], ...fields]);
  return { id: name as RecordId, collection: "observation", registers };
}

function lost(name: string, lamport: number): RecordState {
  const told = { field: "title", value: "lost", lamport, writer: "w1", lostAt: 1 };
  const registers = Object.fromEntries(
    Object.entries(told).map(([field, value]) => [field, register(value)]),
  );
  const id = `conflict${name}` as RecordId;
  return { id, collection: "conflict", parent: name as RecordId, registers };
}

interface Listed {
  readonly items: readonly object[];
  readonly total: number;
}

/** Takes a page that is one of more, so that nothing is compared yet. */
function take(
  store: Store,
  server: TestServer,
  states: readonly RecordState[],
  from: number,
): void {
  const { plan, page } = askPage(store, server);
  const placed = states.map((state, at) => ({ state, seq: from + at, line: {} }));
  store.replicas.takePage(namespace, plan, {
    ...page,
    records: placed,
    tail: { ...page.tail, more: true },
  });
}

test("[CF14] conflicts of many large records are listed, and settled, in little memory", async () => {
  const device = devices.device("small", { NODE_OPTIONS: `--max-old-space-size=${heapMib}` });
  mkdirSync(device.home, { recursive: true, mode: 0o700 });
  const server = new TestServer(namespace);
  const store = pairedStore(server, { path: join(device.home, "tidemark.db") });
  for (let at = 0; at < records; at += 1) {
    const name = `record${at}`;
    take(store, server, [large(name), lost(name, at + 1)], at * 2 + 1);
  }
  store.close();
  const { stdout } = await device.run(["conflicts"]);
  expect(stdout.split("\n").slice(50)).toEqual([
    "… 46 more conflicts: --limit or --all",
    "tidemark resolve <id> --keep current, or --keep losing",
    "",
  ]);
  const listed = await device.json<Listed>("conflicts", "--all");
  expect(listed.total).toBe(records);
  expect(listed.items).toHaveLength(records);
  expect(listed.items[0]).toMatchObject({ value: "lost", current: "stands in record95" });
  const settling = ["resolve", "conflictrecord7", "--keep", "current"];
  expect(await device.run(settling)).toMatchObject({ code: 0 });
  expect(await device.json<Listed>("conflicts")).toMatchObject({ total: records - 1 });
});
