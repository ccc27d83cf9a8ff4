import type { NamespaceId } from "@tidemark/protocol";
import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestClock } from "../auth/testing/auth-deps.ts";
import { createHeadNotices, type HeadNotices } from "../platform/head-notices.ts";
import { systemRandom } from "../platform/random.ts";
import { systemTimers } from "../platform/timers.ts";
import type { Store } from "../store/port.ts";
import { createPostgresStore } from "../store/postgres/postgres-store.ts";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { headPollMs, noticeEveryMs } from "./pokes/head-watch.ts";
import {
  claimServer,
  createClient,
  createTestWriter,
  joinServer,
  push,
  type TestClient,
} from "./testing/client.ts";
import { createEventReader, type EventReader } from "./testing/event-reader.ts";
import { createHarness, type Harness } from "./testing/harness.ts";

const burst = 100;

let stores: TestStores;
const toClose: { close(): unknown }[] = [];
beforeEach(async () => {
  stores = await createTestStores();
});
afterEach(async () => {
  for (const one of toClose.splice(0)) await one.close();
  await stores.drop();
});

interface Replica {
  readonly harness: Harness;
  /** How often it asked the database for heads. */
  readonly asked: () => number;
}

const clock = createTestClock();

/** Notices over connections of their own, and the moment from which they are heard. */
function openNotices(): { readonly notices: HeadNotices; readonly listening: Promise<void> } {
  const notices = createHeadNotices(stores.appUrl, { timers: systemTimers });
  toClose.push(notices);
  let began = (): void => {};
  const listening = new Promise<void>((resolve) => (began = resolve));
  const listen: HeadNotices["listen"] = async (listener) => {
    const onListening = (): void => {
      listener.onListening();
      began();
    };
    await notices.listen({ ...listener, onListening });
  };
  return { notices: { ...notices, listen }, listening };
}

/** A whole server of its own, with its own connections, on the one database. */
async function startReplica(pokes: "listen" | "poll"): Promise<Replica> {
  const deps = { clock, random: systemRandom, timers: systemTimers };
  const own = createPostgresStore({ ...deps, url: stores.appUrl });
  let asked = 0;
  const store: Store = {
    ...own,
    accounts: {
      ...own.accounts,
      watched: async (input) => {
        asked += 1;
        return await own.accounts.watched(input);
      },
    },
  };
  const heard = pokes === "poll" ? undefined : openNotices();
  const harness = createHarness({
    store,
    clock,
    random: systemRandom,
    ...(heard === undefined ? {} : { headNotices: heard.notices }),
  });
  toClose.push(harness.app, store);
  await heard?.listening;
  return { harness, asked: () => asked };
}

/** The owner on one replica, and the owner's stream of pokes on another. */
async function onTwo(pushed: Replica, streamed: Replica) {
  const owner = await claimServer(pushed.harness);
  const { namespaces = [] } = await owner.hello();
  const personal = namespaces[0]?.id ?? ("" as NamespaceId);
  const far = createClient({ ...streamed.harness, setupSecret: async () => "" }, owner);
  const reader = createEventReader(await far.send("/v1/pokes"));
  await reader.until('"head":0}');
  reader.skip();
  return { owner, personal, reader };
}

/** A hundred devices push at once; each push moves the head. */
async function pushBurst(owner: TestClient, namespace: NamespaceId): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: burst }, (_, at) =>
      push(owner, namespace, createTestWriter(`writer_${String(at)}`).body(["one"])),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
}

async function pokesUntil(reader: EventReader, head: number): Promise<number> {
  const text = await reader.until(`"head":${String(head)}}`);
  expect(text).not.toContain("<end>");
  return text.split("event: poke").length - 1;
}

test("[OPS25, OPS27] a burst on one replica reaches the other's streams by one notice", async () => {
  const [pushed, streamed] = [await startReplica("listen"), await startReplica("listen")];
  const notices: string[] = [];
  const ear = postgres(stores.url, { max: 1, onnotice: () => {} });
  toClose.push({ close: () => ear.end() });
  let hear = (): void => {};
  const isDone = new Promise<void>((resolve) => (hear = resolve));
  await ear.listen("tidemark_heads", (text) => {
    notices.push(text);
    if (text === "done") hear();
  });
  const { owner, personal, reader } = await onTwo(pushed, streamed);
  await pushBurst(owner, personal);
  pushed.harness.tick(noticeEveryMs);
  expect(await pokesUntil(reader, burst)).toBe(1);
  await push(owner, personal, createTestWriter("writer_last").body(["one"]));
  pushed.harness.tick(noticeEveryMs);
  expect(await pokesUntil(reader, burst + 1)).toBe(2);
  await ear.notify("tidemark_heads", "done");
  await isDone;
  expect(notices).toEqual([`${personal} ${burst}`, `${personal} ${burst + 1}`, "done"]);
});

test("[OPS25, OPS27] a burst on one replica reaches the other's streams by one question", async () => {
  const [pushed, streamed] = [await startReplica("poll"), await startReplica("poll")];
  const { owner, personal, reader } = await onTwo(pushed, streamed);
  await pushBurst(owner, personal);
  streamed.harness.tick(headPollMs);
  expect(await pokesUntil(reader, burst)).toBe(1);
  expect(streamed.asked()).toBe(1);
  // Nobody listens on the first, so it asks nothing.
  pushed.harness.tick(headPollMs);
  expect(pushed.asked()).toBe(0);
});

test.each(["listen", "poll"] as const)(
  "[AU9] a device that one replica shuts out loses its streams on the other: %s (abuse 74)",
  async (pokes) => {
    const [near, far] = [await startReplica(pokes), await startReplica(pokes)];
    const { owner } = await onTwo(near, far);
    const desktop = await joinServer(
      near.harness,
      await owner.createLink({ kind: "device" }),
      "desktop",
    );
    const away = createClient({ ...far.harness, setupSecret: async () => "" }, desktop);
    const reader = createEventReader(await away.send("/v1/pokes"));
    await reader.until('"head":0}');
    await owner.call("DELETE", `/v1/devices/${desktop.admission.device.id}`);
    // What each replica does at most every 100 ms or every second.
    near.harness.tick(noticeEveryMs);
    far.harness.tick(headPollMs);
    expect(await reader.until("never")).toContain("<end>");
  },
);
