import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeviceId, JsonObject, NamespaceId, RecordId } from "@tidemark/protocol";
import type { Suspect } from "@tidemark/protocol/wire";
import { beforeEach, expect, test } from "vitest";
import { sha256 } from "../../platform/hash.ts";
import { repairFiles } from "../../platform/repair-files.ts";
import type { OpenOptions } from "../open.ts";
import type { Observation } from "../observation.ts";
import { reviewOf } from "../reads/review.ts";
import type { Store } from "../store.ts";
import { memoryFolder, openRepaired } from "../testing/damage.ts";
import { pairedStore, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { scrubbed, seededRandom } from "../testing/test-store.ts";

const namespace = "ns_1" as NamespaceId;
const stolen = "dev_stolen" as DeviceId;

let server: TestServer;
let mine: Store;
/** A laptop of the same person that somebody else has now. */
let thief: Store;
let mate: Store;

const people = { mine: "ada", stolen: "ada", mate: "grace", late: "ada" } as const;

function open(device: keyof typeof people, options: Partial<OpenOptions> = {}): Store {
  const user = people[device];
  const identity = {
    device: { id: `dev_${device}`, name: device },
    user: { id: `usr_${user}`, name: user },
  };
  return pairedStore(server, { random: seededRandom(device), identity, ...options });
}

function put(store: Store, id: string, fields: JsonObject, at = 1_000): void {
  const change = {
    kind: "put",
    id: id as RecordId,
    collection: "observation",
    fields: scrubbed(fields),
  } as const;
  const made = store.changes.change(namespace, [change], at);
  if (!made.ok) throw new Error(made.error.kind);
}

/** What `hello` says of quarantines; undefined as a server of before does. */
function tell(store: Store, suspects: readonly Suspect[] | undefined, serverId = "server-1"): void {
  const listed = { name: "personal", kind: "personal", role: "owner", head: 0 } as const;
  store.replicas.takeNamespaces(serverId, [{ ...listed, id: namespace }], suspects);
}

function suspected(aboveSeq: number, given: Partial<Suspect> = {}): readonly Suspect[] {
  return [{ namespace, device: stolen, aboveSeq, since: 1_000, ...given }];
}

function sync(...stores: readonly Store[]): void {
  for (const store of [...stores, ...stores]) settle(store, server);
}

/** What lists and searches show, which must be what an index that is built anew would. */
function shown(store: Store): readonly string[] {
  const look = () => ({
    list: store.reads
      .list({})
      .map(({ id }) => id)
      .toSorted(),
    all: byId(store.reads.list({ includeHidden: true })),
    found: store.reads
      .search("poison", {})
      .map(({ observation }) => observation.id)
      .toSorted(),
  });
  const before = look();
  store.upkeep.rebuildSearch();
  expect(look()).toEqual(before);
  expect(store.upkeep.check()).toEqual([]);
  expect(before.found.filter((id) => !before.list.includes(id))).toEqual([]);
  return before.list;
}

function byId(items: readonly Observation[]): readonly Observation[] {
  return items.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

beforeEach(() => {
  server = new TestServer(namespace);
  mine = open("mine");
  thief = open("stolen");
  mate = open("mate");
  const stores = { mine, stolen: thief, mate };
  for (const [device, store] of Object.entries(stores))
    put(store, `first-${device}`, { title: "x" });
  server.writers = Object.entries(stores).map(([device, store]) => ({
    writer: store.replicas.replica(namespace)?.writer as never,
    device: `dev_${device}` as DeviceId,
    deviceName: device,
    user: `usr_${people[device as "mine"]}` as never,
    userName: people[device as "mine"],
  }));
  sync(mine, thief, mate);
  expect(mine.replicas.replica(namespace)?.head).toBe(3);
});

const first = ["first-mate", "first-mine", "first-stolen"];

test("[QU2] [QU5] the server's order decides, whatever times the records claim (abuse 160)", () => {
  put(thief, "poison1", { title: "poison", createdAt: 1 }, 1);
  put(thief, "poison2", { title: "poison", createdAt: 9e14 }, 9e14);
  put(mate, "good", { title: "no poison", createdAt: 9e14 }, 9e14);
  sync(thief, mate, mine);
  const before = byId(mine.reads.list({ includeHidden: true }));
  expect(shown(mine)).toEqual([...first, "good", "poison1", "poison2"]);
  tell(mine, suspected(3));
  expect(shown(mine)).toEqual([...first, "good"]);
  expect(mine.reads.observation(namespace, "poison1" as RecordId)).toMatchObject({
    trust: 0,
    archived: false,
  });
  expect(mine.reads.quarantines()).toMatchObject([
    { device: stolen, author: { user: "ada", device: "stolen" }, hidden: ["poison1", "poison2"] },
  ]);
  tell(mine, suspected(0));
  expect(shown(mine)).toEqual(["first-mate", "first-mine", "good"]);
  tell(mine, []);
  expect(byId(mine.reads.list({ includeHidden: true }))).toEqual(before);
  expect(shown(mine)).toEqual([...first, "good", "poison1", "poison2"]);
});

test("[NS27] a copy that is dropped takes its quarantines along", () => {
  const id = "ns_2" as NamespaceId;
  const other = { id, name: "b", kind: "team", role: "reader", head: 0 } as const;
  mine.replicas.takeNamespaces("server-1", [other], suspected(0, { namespace: id }));
  expect(mine.reads.quarantines()).toHaveLength(1);
  for (let hello = 0; hello < 2; hello += 1) tell(mine, []);
  expect(mine.reads.quarantines()).toEqual([]);
});

test("[QU4] a server that tells nothing of quarantines lifts none, and another server neither", () => {
  tell(mine, suspected(0));
  const hidden = ["first-mate", "first-mine"];
  tell(mine, undefined);
  expect(shown(mine)).toEqual(hidden);
  tell(mine, [], "server-2");
  expect(shown(mine)).toEqual(hidden);
  tell(mine, undefined);
  tell(mine, suspected(0, { namespace: "ns_2" as NamespaceId }));
  expect(shown(mine)).toEqual(first);
});

test("[QU5] what comes later is hidden as it comes, also on a device that is new", () => {
  tell(mine, suspected(3));
  put(thief, "poison1", { title: "poison" });
  put(mate, "good", { title: "sound" });
  put(mate, "first-stolen", { narrative: "a mate wrote into it" });
  sync(thief, mate, mine);
  put(thief, "good", { narrative: "poison that was added" });
  sync(thief, mine);
  const late = open("late");
  tell(late, suspected(3));
  sync(late);
  // A record that moved on with words of the device in it is reached: nobody knows which came when.
  for (const store of [mine, late]) expect(shown(store)).toEqual(["first-mate", "first-mine"]);
});

test("[QU5] an own edit that the server has confirmed comes within reach with the record's new place", () => {
  tell(mine, suspected(3));
  put(mine, "first-stolen", { narrative: "mine" });
  expect(shown(mine)).toEqual(first);
  sync(mine);
  expect(shown(mine)).toEqual(["first-mate", "first-mine"]);
});

test("[QU5] a pin of the own person lets one through; one of the device itself or of others does not", () => {
  put(thief, "poison1", { title: "poison", pinned: true, pinnedOrigin: "user" });
  put(thief, "poison2", { title: "poison" });
  sync(thief, mate, mine);
  for (const store of [mine, mate]) tell(store, suspected(3));
  const pinned = (store: Store, record: string): JsonObject => ({
    pinned: true,
    pinnedOrigin: "user",
    pinnedOf: reviewOf(sha256, store.reads.get(namespace, record as RecordId)?.fields ?? {}),
  });
  put(mate, "poison2", pinned(mate, "poison2"));
  sync(mate, mine);
  expect(shown(mine)).toEqual(first);
  expect(shown(mate)).toEqual([...first, "poison2"]);
  put(mine, "poison1", { pinned: false, pinnedOrigin: null });
  put(mine, "poison1", pinned(mine, "poison1"));
  expect(shown(mine)).toEqual([...first, "poison1"]);
  sync(mine);
  expect(shown(mine)).toEqual([...first, "poison1"]);
  put(mine, "poison1", { pinned: false });
  expect(shown(mine)).toEqual(first);
});

test("[QU5] words under a writer that nobody knows are no way around it", () => {
  server.writers = server.writers.filter(({ deviceName }) => deviceName !== "stolen");
  const late = open("late");
  put(thief, "poison1", { title: "poison" });
  sync(thief, late);
  expect(late.reads.list({}).map(({ id }) => id)).toContain("poison1");
  tell(late, suspected(3));
  expect(shown(late)).toEqual(first);
});

test("[QU6] what others made of hidden words is named: what took their place, and what they edited", () => {
  put(thief, "poison1", { title: "poison" });
  put(thief, "poison2", { title: "poison" });
  sync(thief, mate, mine);
  put(mate, "poison1", { supersededBy: "heir" });
  put(mate, "heir", { title: "of the first", supersedes: "poison1" });
  put(mate, "poison2", { narrative: "poison, edited" });
  sync(mate, mine);
  tell(mine, suspected(3));
  expect(mine.reads.descendantsOfHidden(stolen)).toEqual([
    { namespace, id: "heir", why: "supersedes" },
    { namespace, id: "poison2", why: "edited" },
  ]);
  put(mine, "poison2", { supersededBy: "own" });
  put(mine, "own", { title: "of the second, not sent yet", supersedes: "poison2" });
  expect(mine.reads.descendantsOfHidden(stolen).map(({ id }) => id)).toContain("own");
  expect(mine.reads.descendantsOfHidden("dev_mate" as DeviceId)).toEqual([]);
});

test("[QU5] a repair of a damaged database keeps hidden what was", () => {
  const folder = memoryFolder();
  const path = join(folder, "damaged.db");
  try {
    put(thief, "poison1", { title: "poison" });
    sync(thief);
    const late = open("late", { path });
    tell(late, suspected(3));
    sync(late);
    expect(shown(late)).toEqual(first);
    late.upkeep.checkpoint();
    late.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, 0, 100));
    repairFiles.noteSound(path, 0);
    const { store, repair } = openRepaired(path);
    expect(repair).toBeDefined();
    expect(shown(store)).toEqual(first);
    expect(store.reads.quarantines()).toMatchObject([{ device: stolen, hidden: ["poison1"] }]);
    store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("[QU5] an index that a start builds anew knows whose device this is", () => {
  const folder = memoryFolder();
  const path = join(folder, "tidemark.db");
  const device = { id: "dev_late", name: "late" };
  const late = open("late", { path });
  put(late, "poison-own", { title: "poison" });
  sync(late);
  tell(late, suspected(0, { device: device.id as DeviceId }));
  const before = shown(late);
  expect(before).not.toContain("poison-own");
  late.upkeep.setMeta("search-damaged", "1");
  late.close();
  const user = { id: "usr_ada", name: "ada" };
  const { store } = openRepaired(path, { identity: { device, user } });
  expect(store.upkeep.meta("search-damaged")).toBeUndefined();
  expect(
    store.reads
      .list({})
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(before);
  store.close();
  rmSync(folder, { recursive: true });
});
