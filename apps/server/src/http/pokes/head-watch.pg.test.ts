import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../../../../test/postgres/database.ts";
import { openSilentLine } from "../../../../../test/postgres/silent-line.ts";
import { createHeadNotices } from "../../platform/head-notices.ts";
import { silentLog } from "../../platform/log.ts";
import { systemTimers } from "../../platform/timers.ts";
import { watchHeads } from "./head-watch.ts";
import { createPokeHub } from "./poke-hub.ts";

const namespace = "nsp_told" as NamespaceId;
const device = "dev_here" as DeviceId;
const patient = { timeout: 60_000, interval: 100 };

/** One server's side: a device listens to its hub, and nothing but notices tells that hub. */
function openReplica(databaseUrl: string) {
  const notices = createHeadNotices(databaseUrl, { timers: systemTimers, beatMs: 250 });
  const hub = createPokeHub();
  const warned = new Set<string>();
  const watch = watchHeads({
    timers: systemTimers,
    log: { ...silentLog, warn: (event) => void warned.add(event) },
    hub,
    watched: async () => ({ heads: new Map(), revoked: [] }),
    notices,
  });
  const opened = hub.open({ id: device, user: "usr_here" as UserId });
  if (!opened.ok) throw new Error(opened.error);
  const stream = opened.value;
  stream.follow([{ id: namespace, head: 0 }]);
  const told: unknown[] = [];
  const listen = async (): Promise<void> => {
    for (let event = await stream.next(); event !== "end"; event = await stream.next()) {
      told.push(event === "ping" ? event : event.head);
    }
    told.push("end");
  };
  const listening = listen();
  const close = async (): Promise<void> => {
    watch.stop();
    hub.close();
    await listening;
    await notices.close();
  };
  return { watch, warned, told, close };
}

test("[OPS93] a replica whose connections have fallen silent hears of heads again, and tells what it could not", async () => {
  const database = await createTestDatabase();
  const line = await openSilentLine(database.url);
  const here = openReplica(line.url);
  const there = openReplica(database.url);
  try {
    // What is told before the other one listens is heard by nobody.
    const first = (): readonly unknown[] => {
      here.watch.headMoved(namespace, 1);
      return [here.told.at(-1), there.told.at(-1)];
    };
    await expect.poll(first, patient).toEqual([1, 1]);
    line.silence();
    here.watch.headMoved(namespace, 2);
    await expect.poll(() => there.told.at(-1), patient).toBe(2);
    there.watch.headMoved(namespace, 3);
    await expect.poll(() => here.told.at(-1), patient).toBe(3);
    expect(here.warned).toContain("head-notices-silent");
    expect(there.warned).toEqual(new Set());
    line.silence();
    here.watch.deviceRevoked(device);
    await expect.poll(() => there.told.at(-1), patient).toBe("end");
  } finally {
    await line.close();
    await here.close();
    await there.close();
    await database.drop();
  }
});

test("[OPS123] a replica that hears the others, and is heard by nobody itself, opens its connections anew", async () => {
  const database = await createTestDatabase();
  const line = await openSilentLine(database.url);
  const here = openReplica(line.url);
  const there = openReplica(database.url);
  try {
    const first = (): readonly unknown[] => {
      here.watch.headMoved(namespace, 1);
      return [here.told.at(-1), there.told.at(-1)];
    };
    await expect.poll(first, patient).toEqual([1, 1]);
    // The first one listens, the other one tells.
    expect(line.count).toBe(2);
    line.silence(1, 1);
    here.watch.headMoved(namespace, 2);
    await expect.poll(() => there.told.at(-1), patient).toBe(2);
    expect(here.warned).toContain("head-notices-silent");
  } finally {
    await line.close();
    await here.close();
    await there.close();
    await database.drop();
  }
});
