import {
  isEncryptedId,
  type NamespaceId,
  type RecordId,
} from "../../packages/protocol/src/index.ts";
import { hexOf, sealersOf } from "./glass.ts";
import { memberLog, newestEpoch, type MemberLog } from "./member-log.ts";
import { plainWordsIn } from "./oracle.ts";
import { hasKey, isMade } from "./sealed-team.ts";
import { isSheetVoid } from "./recovery-sheet.ts";
import type { SimDevice } from "./sim-device.ts";
import type { World } from "./world.ts";

/**
 * Tells of a record whether all of it opens with keys that those have whom the log knows. What was
 * sealed under a key of a log that went another way came before it parted, by whoever had it: what
 * others deliver is of any epoch (EE5).
 */
export function openableHere(world: World, namespace: NamespaceId): (record: string) => boolean {
  if (!isEncryptedId(namespace)) return () => true;
  const inside = world.devices.filter((device) => !isShutOut(world, device, namespace));
  const held = new Set(inside.flatMap((device) => heldKeys(device, namespace)));
  const records = world.server.state.namespaces.get(namespace)?.records;
  return (record) => {
    const text = records?.get(record as RecordId)?.form.fields ?? "";
    return sealersOf(text).every((key) => held.has(key));
  };
}

function heldKeys({ inspector }: SimDevice, namespace: NamespaceId): readonly string[] {
  if (!isMade(inspector)) return [];
  return inspector
    .all("SELECT namespace, key FROM namespace_keys WHERE epoch > 0")
    .filter((row) => row["namespace"] === namespace)
    .map((row) => hexOf(row["key"] as Uint8Array));
}

/** Why an encrypted namespace is not where it should be on a device; nothing for any other. */
export function sealedUnrest(world: World, device: SimDevice, namespace: NamespaceId): string {
  if (!isEncryptedId(namespace) || isShutOut(world, device, namespace)) return "";
  const held = new Set(heldEpochs(device, namespace));
  const lacks = [...sealedEpochs(world, namespace)].filter((epoch) => !held.has(epoch));
  if (lacks.length > 0) return `${device.name} lacks keys ${lacks.join()} of ${namespace}`;
  if (!hasKey(device, namespace)) return `${device.name} has no key of ${namespace}`;
  return codeUnrest(world, device, namespace);
}

/** Which of an admin's keys a recovery code does not open yet (EE20, EE23). */
function codeUnrest({ server }: World, device: SimDevice, namespace: NamespaceId): string {
  const log = memberLog(server, namespace);
  if (log?.isAdmin(device.identity.id) !== true) return "";
  const wraps = server.state.namespaces.get(namespace)?.wraps ?? [];
  for (const code of log.codes) {
    const opened = new Set(wraps.flatMap((one) => (one.recipient === code ? [one.epoch] : [])));
    const lacks = heldEpochs(device, namespace).filter((epoch) => !opened.has(epoch));
    if (lacks.length > 0) return `the recovery code lacks keys ${lacks.join()} of ${namespace}`;
  }
  return "";
}

/** Epochs under whose keys something is sealed that the server has. */
function sealedEpochs({ server }: World, namespace: NamespaceId): ReadonlySet<number> {
  const records = server.state.namespaces.get(namespace)?.records.values() ?? [];
  const texts = [...records].map(({ form }) => form.fields ?? "").join("\n");
  return new Set([...texts.matchAll(/sealed1\.(\d+)\./g)].map(([, epoch]) => Number(epoch)));
}

function heldEpochs({ inspector }: SimDevice, namespace: NamespaceId): readonly number[] {
  if (!isMade(inspector)) return [];
  return inspector
    .all("SELECT namespace, epoch FROM namespace_keys WHERE epoch > 0")
    .filter((row) => row["namespace"] === namespace)
    .map((row) => Number(row["epoch"]));
}

/**
 * Whether nothing of an encrypted namespace reaches a device any more, by right: the log went another
 * way after a restore than it has seen (EE20), or nobody has any key.
 */
export function isShutOut(world: World, device: SimDevice, namespace: string): boolean {
  const log = memberLog(world.server, namespace);
  if (log === undefined) return false;
  return isForked(log, device, namespace) || isLostForAll(world, namespace);
}

/**
 * Whether all keys are gone. Where homes pair again, each may be somebody else to the server than those
 * for whom it keeps them: then either damage took them from every home and the server lost what the
 * code opens, or nobody who is in has any and the code is none any more, as where whoever typed it saw
 * no other.
 */
function isLostForAll(world: World, namespace: string): boolean {
  const { devices, extras } = world;
  if (extras.isReturning !== true) return false;
  const holders = devices.filter(
    (device) => heldEpochs(device, namespace as NamespaceId).length > 0,
  );
  if (extras.isLosingKeys === true && holders.length === 0) return true;
  const log = memberLog(world.server, namespace);
  const isOneIn = holders.some(({ identity }) => log?.isIn(identity.id) === true);
  return !isOneIn && isSheetVoid(world, namespace);
}

function isForked({ entries }: MemberLog, device: SimDevice, namespace: string): boolean {
  const seen = seenLog(device, namespace);
  return seen.some((entry, at) => at < entries.length && entries[at] !== entry);
}

function seenLog({ inspector }: SimDevice, namespace: string): readonly string[] {
  if (!isMade(inspector)) return [];
  const rows = inspector.all("SELECT namespace, entries FROM namespace_logs");
  const row = rows.find((each) => each["namespace"] === namespace);
  return JSON.parse((row?.["entries"] ?? "[]") as string) as readonly string[];
}

/** Whether a device has seen another beginning of the newest epoch than the server's log has (EE31). */
export function hasOtherKey(
  { server }: Pick<World, "server">,
  device: SimDevice,
  namespace: string,
): boolean {
  const theirs = newestEpoch(memberLog(server, namespace)?.entries ?? []);
  const own = newestEpoch(seenLog(device, namespace));
  if (theirs === undefined || own === undefined) return false;
  return own.epoch === theirs.epoch && own.entry !== theirs.entry;
}

/** What holds for encrypted namespaces beside all that holds for any. */
export function checkSealed(world: World): void {
  for (const namespace of world.cast.teams.filter(isEncryptedId)) {
    checkNothingReadable(world, namespace);
    for (const device of world.devices) {
      checkKeys(world, device, namespace);
      checkStillIn(world, device, namespace);
    }
  }
}

/** No word reaches the server but sealed (EE10). */
function checkNothingReadable({ run, server }: World, namespace: NamespaceId): void {
  const state = server.state.namespaces.get(namespace);
  if (state === undefined) return;
  const forms = [...state.records.values()].map(({ form }) => form.fields ?? "");
  const values = [...state.revisions.values()].map(({ row }) => row.value);
  for (const word of plainWordsIn([...forms, ...values].join("\n"))) {
    run.broken("EE10", `the server reads ${word}`);
  }
}

/** Nobody is taken out whom nobody shut out (EE15). */
function checkStillIn({ run, server }: World, device: SimDevice, namespace: NamespaceId): void {
  if (run.struck.has("memberChange") || run.struck.has("deviceRevoked")) return;
  if (memberLog(server, namespace)?.isOut(device.identity.id) !== true) return;
  run.broken("EE15", `${device.name} was taken out, and nobody had shut it out`);
}

/** A device has keys of those epochs alone in which the log had it in (EE15). */
function checkKeys(world: World, device: SimDevice, namespace: NamespaceId): void {
  const { run, server, extras } = world;
  // What a server that was set back had in its log, and gets again or never, is not known here; nor
  // what a home was called before it paired again.
  if (server.epoch > 0 || extras.isReturning === true) return;
  const rightful = memberLog(server, namespace)?.epochsOf(device.identity.id);
  for (const epoch of heldEpochs(device, namespace)) {
    if (rightful?.has(epoch) !== true) {
      run.broken("EE15", `${device.name} has the key of epoch ${epoch}`);
    }
  }
}
