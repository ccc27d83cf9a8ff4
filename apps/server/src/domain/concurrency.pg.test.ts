import { chainNext, chainStart, type RecordId } from "@tidemark/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemTimers } from "../platform/timers.ts";
import type { Store } from "../store/port.ts";
import { createPostgresStore } from "../store/postgres/postgres-store.ts";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { pull } from "./pull.ts";
import { createPush, type Push } from "./push.ts";
import { createWorld, seededRandom, sha256, valuesOf, type World } from "./testing/world.ts";

let stores: TestStores;
const replicas: Store[] = [];
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(async () => {
  await Promise.all(replicas.map((store) => store.close()));
  await stores.drop();
});

/** A second server on the same database, with queues of its own. */
function secondServer(world: World): Push {
  const store = createPostgresStore({
    url: stores.appUrl,
    clock: { nowMs: () => 1 },
    random: seededRandom("second"),
    timers: systemTimers,
  });
  replicas.push(store);
  return createPush({ ...world.deps, store, random: seededRandom("second marks") });
}

test("[PL1] no pull skips what concurrent pushes of two servers commit", async () => {
  const world = await createWorld(await stores.open({ nowMs: () => 1 }));
  const { namespace, owner, deps } = world;
  const pushes = [world.push, secondServer(world)];
  const writersCount = 8;
  const pushesEach = 25;
  let isDone = false;
  const pushAll = async (index: number): Promise<void> => {
    const writer = world.writer(`w${index}`);
    const push = pushes[index % 2] ?? world.push;
    for (let round = 0; round < pushesEach; round += 1) {
      const header = { writer: writer.id, after: writer.acked, chain: writer.ackedChain };
      const lines = [
        writer.put(`r${index}-${round}`, { round }),
        writer.put("hot", { [`f${index}`]: round }),
      ];
      const answer = await push({ namespace, device: owner, header, lines });
      if (!answer.ok) throw new Error(answer.error.kind);
      writer.acked = answer.value.position.acked;
      writer.ackedChain = answer.value.position.chain;
      writer.lamport = Math.max(writer.lamport, answer.value.lamport);
    }
  };
  const seen = new Map<string, number>();
  const pollAll = async (): Promise<void> => {
    let after = "";
    for (;;) {
      const isLast = isDone;
      const page = await pull(deps, { namespace, device: owner, after, limit: 7 });
      if (!page.ok) throw new Error(page.error.kind);
      for (const line of page.value.lines) {
        const { id, seq } = JSON.parse(line) as { id: string; seq: number };
        expect(seq).toBeGreaterThan(seen.get(id) ?? 0);
        seen.set(id, seq);
      }
      after = page.value.tail.cursor;
      if (isLast && !page.value.tail.more) return;
    }
  };
  const polling = pollAll();
  await Promise.all(Array.from({ length: writersCount }, (_, index) => pushAll(index)));
  isDone = true;
  await polling;
  const { states, seqs } = await world.pullAll();
  expect([...seen.keys()].toSorted()).toEqual([...states.keys()].toSorted());
  expect(seen.size).toBeGreaterThanOrEqual(writersCount * pushesEach + 1);
  expect(new Set(seqs).size).toBe(seqs.length);
});

test("[PS1] one push sent to two servers at once is taken once", async () => {
  const world = await createWorld(await stores.open({ nowMs: () => 1 }));
  const { namespace, owner } = world;
  const second = secondServer(world);
  for (let round = 0; round < 15; round += 1) {
    const writer = world.writer(`w${round}`);
    writer.lamport = round;
    const header = { writer: writer.id, after: 0, chain: chainStart(sha256, writer.id) };
    const request = {
      namespace,
      device: owner,
      header,
      lines: [writer.put(`r${round}`, { round })],
    };
    const answers = await Promise.all([world.push(request), second(request)]);
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.find((answer) => !answer.ok)).toMatchObject({
      error: { kind: "writer-position", position: { acked: 1 } },
    });
  }
  const { tail } = await world.pullAll();
  expect(tail).toMatchObject({ head: 15, count: 15 });
});

test("[PS10, PS1] two pushes of one writer in one group are taken in their order, each once", async () => {
  const world = await createWorld(await stores.open({ nowMs: () => 1 }));
  const { deps, namespace, owner: device } = world;
  let groups = 0;
  let letGo = (): void => undefined;
  const isGathered = new Promise<void>((resolve) => (letGo = resolve));
  const counted: Store = {
    ...deps.store,
    writeNamespace: (place, work) =>
      deps.store.writeNamespace(place, async (tx) => {
        groups += 1;
        await isGathered;
        return await work(tx);
      }),
  };
  const push = createPush({ ...deps, store: counted });
  const [busy, writer] = [world.writer("wbusy"), world.writer("wa")];
  const [one, two] = [writer.put("r1", { title: "one" }), writer.set("r1", { title: "two" })];
  const start = { writer: writer.id, after: 0, chain: writer.ackedChain };
  const next = { ...start, after: 1, chain: chainNext(sha256, start.chain, one) };
  const first = {
    header: { writer: busy.id, after: 0, chain: busy.ackedChain },
    lines: [busy.put("r0", { title: "keeps the group open" })],
  };
  const requests = [
    first,
    { header: start, lines: [one] },
    { header: next, lines: [two] },
    { header: start, lines: [one] },
  ];
  const answers = requests.map((request) => push({ namespace, device, ...request }));
  await deps.store.readNamespace(namespace, (tx) => tx.head());
  letGo();
  expect(await Promise.all(answers)).toMatchObject([
    { ok: true, value: { position: { acked: 1 } } },
    { ok: true, value: { position: { acked: 1, chain: next.chain } } },
    { ok: true, value: { position: { acked: 2, chain: chainNext(sha256, next.chain, two) } } },
    { ok: false, error: { kind: "writer-position", position: { acked: 2 } } },
  ]);
  expect(groups).toBe(2);
  const { states } = await world.pullAll();
  expect(valuesOf(states.get("r1" as RecordId))).toEqual({ title: "two" });
  const later = { header: { ...next, after: 2, chain: chainNext(sha256, next.chain, two) } };
  const lines = [writer.set("r1", { title: "three" })];
  expect(await push({ namespace, device, ...later, lines })).toMatchObject({ ok: true });
});

test("[PS11] a connection lost under a push is a retry, and the retry is safe", async () => {
  const world = await createWorld(await stores.open({ nowMs: () => 1 }));
  const { deps, namespace } = world;
  const cut = new Set<string>();
  const flaky: Store = {
    ...deps.store,
    writeNamespace: (place, work) =>
      deps.store.writeNamespace(place, async (tx) => {
        const result = await work(tx);
        if (!cut.has("once")) {
          cut.add("once");
          await stores.cutConnections();
        }
        return result;
      }),
  };
  const push = createPush({ ...deps, store: flaky });
  const writer = world.writer("wa");
  const header = { writer: writer.id, after: 0, chain: writer.ackedChain };
  const request = { namespace, device: world.owner, header, lines: [writer.put("r1", { a: 1 })] };
  expect(await push(request)).toMatchObject({ error: { kind: "unavailable" } });
  expect(await push(request)).toMatchObject({ value: { head: 1, position: { acked: 1 } } });
  const { states } = await world.pullAll();
  expect([...states.keys()]).toEqual(["r1" as RecordId]);
});

test("[PG8] connections that were lost do not use the pool up, nor end the server", async () => {
  const world = await createWorld(await stores.open({ nowMs: () => 1 }));
  const { deps, namespace } = world;
  for (let round = 0; round < 12; round += 1) {
    const lost = deps.store.writeNamespace(namespace, async (tx) => {
      await stores.cutConnections();
      return tx.head().then(() => tx.markOf(0));
    });
    await expect(lost).rejects.toThrow("the database cannot do this now");
  }
  expect((await world.pullAll()).tail.head).toBe(0);
});

test("[PL2] a read sees one snapshot, whatever commits beside it", async () => {
  const world = await createWorld(await stores.open({ nowMs: () => 1 }));
  const { namespace, deps } = world;
  const a = world.writer("wa");
  await a.send(a.put("r1", { title: "one" }));
  const seen = await deps.store.readNamespace(namespace, async (tx) => {
    const before = await tx.head();
    await a.send(a.put("r2", { title: "two" }));
    const page = await tx.page(0, 100, 1_000_000);
    return { before, after: await tx.head(), lines: page.length };
  });
  expect(seen?.after).toEqual(seen?.before);
  expect(seen?.lines).toBe(1);
  const later = await deps.store.readNamespace(namespace, (tx) => tx.head());
  expect(later?.head).toBe(2);
});
