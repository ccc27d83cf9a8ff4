import { afterAll, beforeAll, expect, test } from "vitest";
import {
  chainNext,
  chainStart,
  type RecordId,
  type WriterId,
} from "../../packages/protocol/src/index.ts";
import { heal } from "../../apps/server/src/domain/heal.ts";
import { pull } from "../../apps/server/src/domain/pull.ts";
import { createPush, type PushRequest } from "../../apps/server/src/domain/push.ts";
import { lineOf, live } from "../../apps/server/src/domain/testing/states.ts";
import { createWorld, sha256, type World } from "../../apps/server/src/domain/testing/world.ts";
import { openTable, type Seat, type Table } from "./table.ts";
import type { Passage } from "./wire.ts";

let table: Table;
let world: World;
beforeAll(async () => {
  table = await openTable();
  world = await createWorld(table.direct);
  const writer = world.writer("before");
  await writer.send(writer.forget("nobody"));
});
afterAll(() => table.close());

/** What a push of `requestOf` is told of its second op. */
const results = [{ n: 2, result: "forgotten" }];
const unavailable = { ok: false, error: { kind: "unavailable" } };

/** How a connection dies: with the statement unsent, with its answer unheard, or ended by PostgreSQL. */
const deaths = ["cut-before", "cut-after", "terminated"] as const;

/** Lets a number of statements of a new connection pass, and lets it die at the next. */
function cutAt(seat: Seat, at: number, death: (typeof deaths)[number]): () => string {
  let count = 0;
  let cut = "";
  seat.wire.policy = {
    onStatement: async (sql, { pid }): Promise<Passage> => {
      count += 1;
      if (count - 1 !== at) return "pass";
      cut = sql;
      if (death !== "terminated") return death;
      await table.stores.admin`select pg_terminate_backend(${pid}, 5000)`;
      return "pass";
    },
  };
  return () => cut;
}

/** Runs once for each statement of some work, and each side of it, until nothing is cut. */
async function eachCut(
  run: (seat: Seat, name: string, isCut: () => boolean) => Promise<void>,
): Promise<readonly string[]> {
  const cuts: string[] = [];
  for (const death of deaths) {
    for (let at = 0; ; at += 1) {
      const seat = await table.seat();
      const cut = cutAt(seat, at, death);
      await run(seat, `${death}-${at}`, () => cut() !== "");
      if (cut() === "") break;
      cuts.push(`${death} ${cut()}`);
    }
  }
  return cuts;
}

function requestOf(writerName: string): PushRequest {
  const writer = world.writer(writerName);
  const lines = [writer.put(`r-${writerName}`, { title: writerName }), writer.forget("nobody")];
  const header = { writer: writer.id, after: 0, chain: chainStart(sha256, writer.id) };
  return { namespace: world.namespace, device: world.owner, header, lines };
}

test("[PS11, PG8] a push cut at any statement is unavailable, and its repeat is exact", async () => {
  const became = { applied: 0, lost: 0 };
  const pushed: string[] = [];
  const cuts = await eachCut(async ({ store, wire }, name, isCut) => {
    const push = createPush({ ...world.deps, store });
    const request = requestOf(name);
    pushed.push(`r-${name}`);
    const answer = await push(request);
    if (!isCut()) expect(answer).toMatchObject({ ok: true });
    else expect(answer).toMatchObject(unavailable);
    wire.policy = {};
    if (answer.ok) return;
    const repeat = await push(request);
    const chain = request.lines.reduce(
      (sum, line) => chainNext(sha256, sum, line),
      request.header.chain,
    );
    const position = { acked: 2, chain, since: 0, results };
    if (repeat.ok) {
      became.lost += 1;
      expect(repeat.value).toMatchObject({ position, results });
    } else {
      became.applied += 1;
      expect(repeat.error).toEqual({ kind: "writer-position", position });
    }
  });
  // Applied though nobody was told: the one commit whose answer was cut off.
  expect(became).toEqual({ applied: 1, lost: cuts.length - 1 });
  expect(cuts.filter((cut) => cut.endsWith("commit"))).toHaveLength(3);
  expect(cuts.length).toBeGreaterThanOrEqual(30);
  const { states, seqs, tail } = await world.pullAll();
  const records = [...states.keys()].filter((id) => id.startsWith("r-"));
  expect(records.toSorted()).toEqual((pushed as RecordId[]).toSorted());
  expect(new Set(seqs).size).toBe(seqs.length);
  expect(tail.head).toBe(pushed.length + 1);
});

test("[PS11, HL5] a heal cut at any statement is unavailable, and its repeat doubles nothing", async () => {
  const start = (await world.pullAll()).tail.head;
  let healed = 0;
  const cuts = await eachCut(async ({ store, wire }, name, isCut) => {
    const deps = { ...world.deps, store };
    const before = await world.pullAll();
    const line = lineOf(live(`h-${name}`, { title: [name, 3, "wh" as WriterId] }));
    const header = { writer: undefined, lamport: 0, want: [] };
    const request = { namespace: world.namespace, device: world.owner, header, lines: [line] };
    const answer = await heal(deps, request);
    if (isCut()) expect(answer).toMatchObject(unavailable);
    wire.policy = {};
    const repeat = await heal(deps, request);
    const after = await world.pullAll();
    expect(repeat).toMatchObject({ value: { tail: { refused: [], head: after.tail.head } } });
    expect(after.tail.count).toBe(before.tail.count + 1);
    healed += 1;
  });
  expect((await world.pullAll()).tail.head).toBe(start + healed);
  expect(cuts.length).toBeGreaterThanOrEqual(24);
});

test("[PS11, PL2] a pull cut at any statement is unavailable, and the next gives the same page", async () => {
  const whole = await pull(world.deps, { namespace: world.namespace, device: world.owner });
  const cuts = await eachCut(async ({ store, wire }, _name, isCut) => {
    const request = { namespace: world.namespace, device: world.owner };
    const answer = await pull({ store }, request);
    if (isCut()) expect(answer).toMatchObject(unavailable);
    wire.policy = {};
    expect(await pull({ store }, request)).toEqual(whole);
  });
  expect(cuts.length).toBeGreaterThanOrEqual(20);
});
