import type { DeviceId, WriterId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { serverLimits } from "../../limits.ts";
import type { BrowseQuery, Store, StoredRecord } from "../port.ts";
import { dayMs } from "../day.ts";
import { device, headAt, laptop, link, live, namespace, owner, save } from "./contract-rows.ts";

const network = "203.0.113.0/24";
const { idleMs } = serverLimits.console;

/** What the contract starts from: an empty server whose owner has claimed it, at a test's time. */
export interface ConsoleWorld {
  readonly claimedAt: (clock: { nowMs(): number }) => Promise<Store>;
}

interface Place extends Store {
  readonly clock: { ms: number };
  /** Makes a link and opens it at once. */
  readonly enter: (name: string) => ReturnType<Store["accounts"]["openConsole"]>;
}

async function placed(world: ConsoleWorld): Promise<Place> {
  const clock = { ms: 10_000_000, nowMs: () => clock.ms };
  const store = await world.claimedAt(clock);
  const { accounts } = store;
  const enter: Place["enter"] = async (name) => {
    const nowMs = clock.ms;
    const saved = { hash: `link ${name}`, asking: laptop, nowMs, endsAtMs: nowMs + 1_000 };
    expect(await accounts.saveConsoleLink(saved)).toBe(true);
    return await accounts.openConsole({
      linkHash: saved.hash,
      sessionHash: name,
      nowMs,
      endsAtMs: nowMs + 10 * idleMs,
      network,
    });
  };
  return { ...store, clock, enter };
}

/** What a store keeps for the console. */
export function consoleContract(world: ConsoleWorld): void {
  test("[CO1] a sign-in link opens one session, once, in time, as the person who asked", async () => {
    const { accounts, clock, enter } = await placed(world);
    const session = await enter("first");
    expect(session).toMatchObject({
      user: { id: owner, isOwner: true },
      device: { id: laptop, name: "laptop" },
    });
    expect(await accounts.consoleSession("first", clock.ms)).toEqual(session);
    const again = { sessionHash: "second", nowMs: clock.ms, endsAtMs: 1e13, network };
    expect(await accounts.openConsole({ ...again, linkHash: "link first" })).toBeUndefined();
    expect(await accounts.openConsole({ ...again, linkHash: "first" })).toBeUndefined();
    const late = { hash: "late", asking: laptop, nowMs: clock.ms, endsAtMs: clock.ms + 5 };
    await accounts.saveConsoleLink(late);
    const tooLate = { ...again, linkHash: "late", nowMs: clock.ms + 5 };
    expect(await accounts.openConsole(tooLate)).toBeUndefined();
    expect(await accounts.consoleSession("second", clock.ms)).toBeUndefined();
    expect(await accounts.consoleSession("link first", clock.ms)).toBeUndefined();
    const { items } = await accounts.deviceLog({ asking: laptop, before: undefined, limit: 9 });
    expect(items[0]).toMatchObject({ event: "console-opened", target: laptop, network });
  });

  test("[CO1] a newer link takes the place of a device's last one, and only a device that is let in gets one", async () => {
    const { accounts, clock, enter } = await placed(world);
    const times = { nowMs: clock.ms, endsAtMs: clock.ms + 1_000 };
    await accounts.saveConsoleLink({ hash: "old", asking: laptop, ...times });
    await enter("first");
    const opening = { linkHash: "old", sessionHash: "x", ...times, network };
    expect(await accounts.openConsole(opening)).toBeUndefined();
    const stranger = "dev_nobody" as DeviceId;
    expect(await accounts.saveConsoleLink({ hash: "h", asking: stranger, ...times })).toBe(false);
  });

  test("[CO2] a session ends when it is left, idle or over, and with its device", async () => {
    const { accounts, clock, enter } = await placed(world);
    const isOpen = async (name: string): Promise<boolean> =>
      (await accounts.consoleSession(name, clock.ms)) !== undefined;
    await enter("left");
    await accounts.closeConsole("left");
    expect(await isOpen("left")).toBe(false);

    await enter("used");
    await enter("idle");
    clock.ms += idleMs - 1;
    expect(await isOpen("used")).toBe(true);
    clock.ms += 1;
    expect([await isOpen("used"), await isOpen("idle")]).toEqual([true, false]);
    for (let hours = 0; hours < 10; hours += 1) {
      clock.ms += idleMs - 60_000;
      await isOpen("used");
    }
    expect(await isOpen("used")).toBe(false);

    await enter("shut out");
    await accounts.createLink({ ...link("l", "device"), expiresAtMs: 1e13 });
    const opening = { id: "l", authHash: "auth", mac: "mac", nowMs: clock.ms };
    await accounts.redeemLink({ ...opening, device: device("phone"), user: undefined });
    expect(await isOpen("shut out")).toBe(true);
    const asking = "dev_phone" as DeviceId;
    expect((await accounts.revokeDevice({ asking, id: laptop, network })).ok).toBe(true);
    expect(await isOpen("shut out")).toBe(false);
    const times = { nowMs: clock.ms, endsAtMs: clock.ms + 1_000 };
    expect(await accounts.saveConsoleLink({ hash: "h", asking: laptop, ...times })).toBe(false);
  });

  test("[CO2] one session too many ends the oldest of its device", async () => {
    const { accounts, clock, enter } = await placed(world);
    const { ofDeviceMax } = serverLimits.console;
    for (let made = 0; made <= ofDeviceMax; made += 1) {
      clock.ms += 10;
      await enter(`session ${made}`);
    }
    expect(await accounts.consoleSession("session 0", clock.ms)).toBeUndefined();
    expect(await accounts.consoleSession("session 1", clock.ms)).toBeDefined();
  });

  test("[CO8] records of one collection are found newest first, by words, and no deeper than asked", async () => {
    const store = await placed(world);
    const rows = Array.from({ length: 9 }, (_, index) =>
      live(`r${index + 1}`, index + 1, { title: index % 2 === 0 ? "Odd One" : "even" }),
    );
    await save(store, [...rows, inCollection("session", live("s", 10))]);
    const browse = browserOf(store);
    expect(await browse({})).toEqual([[9, 8, 7], 7]);
    expect(await browse({ before: 3 })).toEqual([[2, 1], undefined]);
    expect(await browse({ words: ["odd", "ONE"] })).toEqual([[9, 7], 6]);
    expect(await browse({ words: ["odd"], before: 6 })).toEqual([[5, 3], 2]);
    expect(await browse({ words: ["odd", "even"], scanMax: 50 })).toEqual([[], undefined]);
    expect(await browse({ words: ["%"], scanMax: 50 })).toEqual([[], undefined]);
    expect(await browse({ collection: "session" })).toEqual([[10], undefined]);
    expect(await browse({ collection: "conflict" })).toEqual([[], undefined]);
  });

  test("[CO8] as many as fit are found, one at least", async () => {
    const store = await placed(world);
    const rows = Array.from({ length: 6 }, (_, index) => ({
      ...live(`r${index + 1}`, index + 1, { title: index === 2 ? "even" : "odd" }),
      bytes: 1_000,
    }));
    await save(store, rows);
    const browse = browserOf(store);
    const asked = { countMax: 9, scanMax: 9 };
    expect(await browse({ ...asked, bytesMax: 6_000 })).toEqual([[6, 5, 4, 3, 2, 1], undefined]);
    expect(await browse({ ...asked, bytesMax: 2_999 })).toEqual([[6, 5, 4], 4]);
    expect(await browse({ ...asked, bytesMax: 1 })).toEqual([[6], 6]);
    const words = ["odd"];
    expect(await browse({ ...asked, words, bytesMax: 3_001 })).toEqual([[6, 5, 4, 2], 2]);
    const rest = { ...asked, words, bytesMax: 3_001, before: 2 };
    expect(await browse(rest)).toEqual([[1], undefined]);
  });

  test("[CO8] what was written is told by day and by device", async () => {
    const store = await placed(world);
    const write = async (day: number, head: number): Promise<void> => {
      store.clock.ms = day * dayMs + 1;
      await store.writeNamespace(namespace, async (tx) => {
        const row = { writer: "w1" as WriterId, device: laptop, chain: "c", since: 0, results: [] };
        await tx.saveWriters([{ ...row, acked: head }]);
        await tx.saveHead(headAt(head));
      });
    };
    for (const [day, head] of [
      [1, 3],
      [2, 5],
      [2, 6],
      [4, 10],
    ] as const) {
      await write(day, head);
    }
    const heads = await store.readNamespace(namespace, (tx) => tx.headsByDay(2 * dayMs));
    const days = [
      { day: 2, head: 6 },
      { day: 4, head: 10 },
    ];
    expect(heads).toEqual({ before: 3, days });
    const work = await store.readNamespace(namespace, (tx) => tx.deviceWork());
    expect(work).toMatchObject([{ device: laptop, user: owner, ops: 10, isLetIn: true }]);
  });
}

/** Gives the seqs that a query finds, three of four at most, and where to go on. */
function browserOf(store: Store): (query: Partial<BrowseQuery>) => Promise<readonly unknown[]> {
  const preset = {
    collection: "observation",
    before: undefined,
    words: [],
    countMax: 3,
    scanMax: 4,
    bytesMax: 1_000_000,
  };
  return async (query) => {
    const asked = { ...preset, ...query };
    const part = await store.readNamespace(namespace, (tx) => tx.browse(asked));
    return [part?.records.map(({ seq }) => seq), part?.below];
  };
}

function inCollection(collection: string, record: StoredRecord): StoredRecord {
  return { ...record, state: { ...record.state, collection } };
}
