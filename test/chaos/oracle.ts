import { isDeepStrictEqual } from "node:util";
import type { ChaosDevice } from "./device-process.ts";

/**
 * What was asked of the devices and what they have said of it. A run that was killed or that failed
 * is neither done nor undone: what it asked for may have happened.
 */
export interface Acknowledged {
  /** Titles that a save was started with. Each is used once. */
  readonly invoked: Set<string>;
  /** Titles whose save ended with exit 0. */
  readonly saved: Set<string>;
  /** Titles that a forget was started for. */
  readonly forgetting: Set<string>;
  /** Titles whose forget ended with exit 0. */
  readonly forgotten: Set<string>;
  /** Narratives that an edit was started with, by the title of what was edited. Each is used once. */
  readonly editing: Map<string, Set<string>>;
  /** Narratives whose edit ended with exit 0. */
  readonly edited: Map<string, Set<string>>;
}

/** Nothing asked yet. */
export function nothingAcknowledged(): Acknowledged {
  return {
    invoked: new Set(),
    saved: new Set(),
    forgetting: new Set(),
    forgotten: new Set(),
    editing: new Map(),
    edited: new Map(),
  };
}

/** Adds to a set that is made when it is needed. */
export function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key) ?? new Set();
  map.set(key, set.add(value));
}

interface Item {
  readonly id: string;
  readonly title: string;
  readonly narrative: string;
}

interface Conflict {
  readonly record: string;
  readonly field: string;
  readonly value: unknown;
}

interface Status {
  readonly namespaces: readonly {
    readonly name: string;
    readonly outbox: number;
    readonly unverified: number;
    readonly rejected: number;
    readonly head: number;
    readonly records: number;
    readonly synced: boolean;
  }[];
}

/** What one device holds in the end. */
interface Held {
  readonly device: string;
  readonly items: readonly Item[];
  readonly conflicts: readonly Conflict[];
  readonly status: Status;
}

/** Rounds in which everything must be everywhere: the first sends, the second fetches. */
const roundsOfAll = 2;

/**
 * Syncs healed devices by hand and says every promise that is broken (empty where none is): each
 * sync ends with exit 0, nothing acknowledged is lost, nothing appears that nobody asked for, nothing
 * is there twice, what was forgotten stays so, all devices hold the same, and all call it synced.
 */
export async function brokenPromises(
  devices: readonly ChaosDevice[],
  asked: Acknowledged,
  rounds: number = roundsOfAll,
): Promise<readonly string[]> {
  const broken = await syncAll(devices, rounds);
  const [first, ...others] = await Promise.all(devices.map(heldBy));
  if (first === undefined) return broken;
  broken.push(...setViolations(first, asked));
  for (const held of others) broken.push(...differences(first, held));
  for (const held of [first, ...others]) broken.push(...statusViolations(held));
  for (const device of devices) broken.push(...(await unwell(device)));
  const [reader] = devices;
  if (reader !== undefined) broken.push(...(await lostEdits(reader, first, asked)));
  return broken;
}

async function syncAll(devices: readonly ChaosDevice[], rounds: number): Promise<string[]> {
  const broken: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const device of devices) {
      const { code, stdout, stderr } = await device.run(["sync", "--json"]);
      if (code === 0) continue;
      broken.push(`${device.name}: sync ${round} ends with ${String(code)}: ${stdout}${stderr}`);
    }
  }
  return broken;
}

async function heldBy(device: ChaosDevice): Promise<Held> {
  const { items } = await device.json<{ readonly items: readonly Item[] }>("list", "--all");
  const conflicts = await device.json<{ readonly items: readonly Conflict[] }>("conflicts");
  const status = await device.json<Status>("status");
  return { device: device.name, items, conflicts: conflicts.items, status };
}

function setViolations({ device, items }: Held, asked: Acknowledged): readonly string[] {
  const titles = items.map(({ title }) => title);
  const held = new Set(titles);
  const lost = [...asked.saved].filter((each) => !asked.forgetting.has(each) && !held.has(each));
  const tell = (what: string, which: readonly string[]): readonly string[] =>
    which.length === 0 ? [] : [`${device}: ${what}: ${which.join(", ")}`];
  return [
    ...tell("lost", lost),
    ...tell(
      "unexpected",
      titles.filter((title) => !asked.invoked.has(title)),
    ),
    ...tell(
      "twice",
      titles.filter((title, at) => titles.indexOf(title) !== at),
    ),
    ...tell(
      "back from the forgotten",
      titles.filter((title) => asked.forgotten.has(title)),
    ),
  ];
}

function differences(one: Held, other: Held): readonly string[] {
  const who = `${one.device} and ${other.device}`;
  return [
    ...differing(one.items, other.items).map(
      (each) => `${who} hold different observations: ${each}`,
    ),
    ...differing(one.conflicts, other.conflicts).map(
      (each) => `${who} hold different conflicts: ${each}`,
    ),
  ];
}

/** How many differing records are told. */
const differencesMax = 3;

function differing(one: readonly object[], other: readonly object[]): readonly string[] {
  const [left, right] = [comparable(one), comparable(other)];
  const ids = new Set([...left.keys(), ...right.keys()]);
  return [...ids]
    .map((id) => [left.get(id), right.get(id)])
    .filter(([mine, theirs]) => !isDeepStrictEqual(mine, theirs))
    .slice(0, differencesMax)
    .map((pair) => JSON.stringify(pair));
}

/**
 * By id, without what depends on who looks: how far the author is trusted, and where the record
 * stood when it was last fetched, for a server that was put back gives out its seqs anew.
 */
function comparable(items: readonly object[]): ReadonlyMap<string, object> {
  const own = { trust: 0, seq: 0 };
  return new Map(
    items.map((item) => [String((item as { readonly id: unknown }).id), { ...item, ...own }]),
  );
}

function statusViolations({ device, status }: Held): readonly string[] {
  return status.namespaces
    .filter(
      ({ outbox, unverified, rejected, synced }) =>
        !synced || outbox !== 0 || unverified !== 0 || rejected !== 0,
    )
    .map((each) => `${device}: not synced: ${JSON.stringify(each)}`);
}

async function unwell(device: ChaosDevice): Promise<readonly string[]> {
  const { stdout } = await device.run(["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { readonly name: string; readonly status: string }[];
  };
  const wanted = new Set(["integrity", "spool", "hooks", "database"]);
  return checks
    .filter(({ name, status }) => wanted.has(name) && status !== "PASS")
    .map((check) => `${device.name}: doctor: ${JSON.stringify(check)}`);
}

/** An edit that was acknowledged stands, is a conflict, or was replaced by one that knew of it. */
async function lostEdits(
  reader: ChaosDevice,
  { items, conflicts }: Held,
  asked: Acknowledged,
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const { id, title, narrative } of items) {
    const started = asked.editing.get(title) ?? new Set();
    if (narrative !== "" && !started.has(narrative) && !isHooks(title)) {
      broken.push(`${title}: nobody wrote ${narrative}`);
    }
    const edited = asked.edited.get(title);
    if (edited === undefined) continue;
    const known = await reader.json<{ readonly items: readonly { readonly value: unknown }[] }>(
      "history",
      id,
    );
    const kept = new Set<unknown>([narrative, ...known.items.map(({ value }) => value)]);
    for (const { record, value } of conflicts) if (record === id) kept.add(value);
    const lost = [...edited].filter((value) => !kept.has(value));
    if (lost.length > 0) broken.push(`${title}: lost edits: ${lost.join(", ")}`);
  }
  return broken;
}

/** What a hook has captured brings the words it was told with. */
function isHooks(title: string): boolean {
  return title.startsWith("marker ");
}
