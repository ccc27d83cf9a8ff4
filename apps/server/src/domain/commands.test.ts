import {
  emptyDigest,
  isTombstone,
  recordDigest,
  xorDigests,
  type RecordId,
} from "@tidemark/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { commandsArbitrary, createActors } from "./testing/commands.ts";
import { createWorld, sha256 } from "./testing/world.ts";

test("[DG2] whatever clients do, digest, count, seqs and tombstones hold", async () => {
  const property = fc.asyncProperty(commandsArbitrary, async (commands) => {
    const store = createMemoryStore({ clock: { nowMs: () => 1 } });
    const world = await createWorld(store);
    const actors = await createActors(world);
    const forgotten = new Set<RecordId>();
    let lamport = 0;
    for (const command of commands) {
      await actors.run(command);
      const { states, tail, seqs } = await world.pullAll();
      const digest = [...states.values()]
        .map((state) => recordDigest(sha256, state))
        .reduce(xorDigests, emptyDigest);
      expect({ digest: tail.digest, count: tail.count }).toEqual({ digest, count: states.size });
      expect(seqs).toEqual([...new Set(seqs)].toSorted((left, right) => left - right));
      expect(seqs.at(-1) ?? 0).toBe(tail.head);
      expect(tail.lamport).toBeGreaterThanOrEqual(lamport);
      lamport = tail.lamport;
      for (const id of forgotten) expect(states.get(id)).toMatchObject({ forgotten: true });
      for (const state of states.values()) {
        if (isTombstone(state)) forgotten.add(state.id);
        else expect(forgotten.has(state.parent ?? ("" as RecordId))).toBe(false);
      }
      const head = await store.readNamespace(world.namespace, (tx) => tx.head());
      const live = [...states.values()].filter((state) => !isTombstone(state)).length;
      expect(head?.liveCount).toBe(live);
    }
  });
  await fc.assert(property, { seed: 7, numRuns: 60 });
});

test("[PL6] a replica that pulls page by page ends with what the server has", async () => {
  const property = fc.asyncProperty(
    commandsArbitrary,
    fc.integer({ min: 1, max: 3 }),
    async (commands, limit) => {
      const world = await createWorld(createMemoryStore({ clock: { nowMs: () => 1 } }));
      const actors = await createActors(world);
      const replica = new Map<RecordId, string>();
      let after = "";
      for (const command of commands) {
        await actors.run(command);
        const { states, tail } = await world.pullAll({ after, limit });
        after = tail.cursor;
        for (const [id, state] of states) replica.set(id, recordDigest(sha256, state));
        const digest = [...replica.values()].reduce(xorDigests, emptyDigest);
        expect({ digest, count: replica.size }).toEqual({
          digest: tail.digest,
          count: tail.count,
        });
      }
    },
  );
  await fc.assert(property, { seed: 8, numRuns: 60 });
});
