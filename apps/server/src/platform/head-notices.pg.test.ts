import type { NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../../../test/postgres/database.ts";
import { openSilentLine } from "../../../../test/postgres/silent-line.ts";
import { watchHeads } from "../http/pokes/head-watch.ts";
import { createHeadNotices } from "./head-notices.ts";
import { systemTimers } from "./timers.ts";

test("[OPS25] a replica hears of the heads that another one moved", async () => {
  const database = await createTestDatabase();
  const here = createHeadNotices(database.url, { timers: systemTimers });
  const there = createHeadNotices(database.url, { timers: systemTimers });
  try {
    const moved = new Map(Array.from({ length: 200 }, (_, at) => [`ns_${at}`, at + 1]));
    const heard = new Map<string, number>();
    const lost: string[] = [];
    let beganTimes = 0;
    const all = new Promise<void>((resolve) => {
      const onHeads = (heads: readonly (readonly [string, number])[]): void => {
        for (const [namespace, head] of heads) heard.set(namespace, head);
        if (heard.size === moved.size) resolve();
      };
      const onListening = (): void => {
        beganTimes += 1;
        void there.publish({ heads: moved, revoked: new Set(["dev_lost"]) });
      };
      const onRevoked = (devices: readonly string[]): void => void lost.push(...devices);
      void here.listen({ onHeads, onRevoked, onListening });
    });
    await all;
    expect(heard).toEqual(moved);
    expect(lost).toEqual(["dev_lost"]);
    expect(beganTimes).toBe(1);
  } finally {
    await here.close();
    await there.close();
    await database.drop();
  }
});

const patient = { timeout: 60_000, interval: 100 };

test("[OPS93] a replica whose connections have fallen silent hears of heads again, and tells what it could not", async () => {
  const database = await createTestDatabase();
  const line = await openSilentLine(database.url);
  const quick = { timers: systemTimers, beatMs: 250 };
  const here = createHeadNotices(line.url, quick);
  const there = createHeadNotices(database.url, quick);
  const heads = { here: new Map<string, number>(), there: new Map<string, number>() };
  const replica = (name: keyof typeof heads, notices: typeof here) =>
    watchHeads({
      timers: systemTimers,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      hub: {
        followed: () => ({ devices: [], namespaces: [] }),
        headMoved: (namespace, head) => void heads[name].set(namespace, head),
        endDevice: () => undefined,
      },
      watched: async () => ({ heads: new Map(), revoked: [] }),
      notices,
    });
  const watches = { here: replica("here", here), there: replica("there", there) };
  const namespace = "nsp_told" as NamespaceId;
  try {
    // What is told before the other one listens is heard by nobody.
    const first = (): readonly unknown[] => {
      watches.here.headMoved(namespace, 1);
      return [heads.here.get(namespace), heads.there.get(namespace)];
    };
    await expect.poll(first, patient).toEqual([1, 1]);
    line.silence();
    watches.here.headMoved(namespace, 2);
    await expect.poll(() => heads.there.get(namespace), patient).toBe(2);
    watches.there.headMoved(namespace, 3);
    await expect.poll(() => heads.here.get(namespace), patient).toBe(3);
  } finally {
    watches.here.stop();
    watches.there.stop();
    await line.close();
    await here.close();
    await there.close();
    await database.drop();
  }
});
