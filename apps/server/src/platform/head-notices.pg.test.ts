import { expect, test } from "vitest";
import { createTestDatabase } from "../../../../test/postgres/database.ts";
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
      const onSilent = (): void => undefined;
      void here.listen({ onHeads, onRevoked, onListening, onSilent });
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
