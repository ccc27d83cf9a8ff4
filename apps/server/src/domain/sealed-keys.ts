import {
  encryptedNamespaceId,
  fail,
  followLog,
  isAtLeast,
  isEncryptedId,
  ok,
  parseLogBody,
  readLog,
  type DeviceId,
  type LogBody,
  type LogDeps,
  type LogState,
  type NamespaceId,
  type Result,
  type Role,
} from "@tidemark/protocol";
import type { KeysAnswer, KeysRequest, KeyWrap, SealedBeginning } from "@tidemark/protocol/wire";
import type { Access, LogRow, NamespaceReader, Store } from "../store/port.ts";
import type { SyncError } from "./sync-error.ts";
import { isOverfilledBy, roomFor } from "./log-room.ts";
import { inRead, inWrite } from "./transaction.ts";

/** What the rules of an encrypted namespace's keys need. */
export interface SealedDeps {
  readonly store: Store;
  readonly log: LogDeps;
}

/** Why a log and keys were not given out or taken. */
export type KeysError = SyncError | { readonly kind: "forbidden" } | { readonly kind: "conflict" };

interface Asking {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  /** For whom wraps are wanted; the asking device unless given. */
  readonly recipient?: string | undefined;
}

/** The log of an encrypted namespace, the keys for a device, and the devices of its members. */
export async function readKeys(
  deps: SealedDeps,
  asking: Asking,
): Promise<Result<KeysAnswer, KeysError>> {
  const { namespace, device } = asking;
  if (!isEncryptedId(namespace)) return fail({ kind: "not-found" });
  const read = await inRead(deps.store, namespace, async (tx) => {
    const access = await tx.access(device);
    if (access === undefined) return fail({ kind: "not-found" });
    const wraps = await tx.wraps(asking.recipient ?? device);
    const epoch = (await tx.logEnd())?.epoch ?? 0;
    return ok({ log: await tx.log(), wraps, epoch, wrapped: await tx.wrappedEpochs() });
  });
  if (!read.ok) return read;
  const { log, wraps, epoch, wrapped } = read.value;
  const members = await deps.store.accounts.memberDevices(namespace);
  const devices = members.flatMap(({ sealingKey, ...each }) => {
    return sealingKey === undefined
      ? []
      : [{ ...each, sealingKey, wraps: wrapped.get(each.id)?.length ?? 0 }];
  });
  const present = members.map(({ id }) => id);
  const recipients = [...wrapped].map(([id, epochs]) => ({ id, lacks: lackingOf(epochs, epoch) }));
  return ok({ log, wraps, devices, present, recipients });
}

/** Epochs from the first to the newest that are not among these. */
function lackingOf(epochs: readonly number[], newest: number): readonly number[] {
  if (epochs.length === newest) return [];
  const there = new Set(epochs);
  return Array.from({ length: newest }, (_, at) => at + 1).filter((epoch) => !there.has(epoch));
}

/**
 * Adds entries and wraps to what a log of so many entries was, or changes nothing (EE6): of two that
 * begin an epoch at once one is told that the other was first. Signatures are verified here too, so
 * that no member can end a namespace with an entry that nobody may believe.
 */
export async function changeKeys(
  deps: SealedDeps,
  asking: Asking,
  request: KeysRequest,
): Promise<Result<KeysAnswer, KeysError>> {
  const { namespace, device } = asking;
  if (!isEncryptedId(namespace)) return fail({ kind: "not-found" });
  // Verified outside of the lock; that the log is still this long, and that those whose word counts may
  // still say it, is seen under it.
  const judged = await inRead<Judgement | KeysError>(deps.store, namespace, async (tx) => {
    const access = await tx.access(device);
    if (access === undefined) return fail({ kind: "not-found" });
    return ok(await judge(deps, tx, { namespace, device, access, request }));
  });
  if (!judged.ok) return judged;
  if ("kind" in judged.value) return fail(judged.value);
  const { rows, roles } = judged.value;
  const written = await inWrite<boolean>(deps.store, namespace, async (tx) => {
    const end = await tx.logEnd();
    if ((await tx.access(device)) === undefined) return fail({ kind: "not-found" });
    if (end === undefined || end.place + 1 !== request.after) return ok(false);
    if (!(await areStill(tx, roles))) return ok(false);
    await tx.addLog(rows);
    await tx.saveWraps(request.wraps);
    return ok(true);
  });
  if (!written.ok) return written;
  return written.value ? await readKeys(deps, asking) : fail({ kind: "conflict" });
}

/** What may be added, and by whose roles. */
interface Judgement {
  readonly rows: readonly LogRow[];
  readonly roles: ReadonlyMap<DeviceId, Role | undefined>;
}

type AccessOf = (device: DeviceId) => Promise<Access | undefined>;

async function areStill(tx: NamespaceReader, roles: Judgement["roles"]): Promise<boolean> {
  for (const [device, role] of roles) {
    if ((await tx.access(device))?.role !== role) return false;
  }
  return true;
}

async function judge(
  { log }: SealedDeps,
  tx: NamespaceReader,
  { namespace, device, access, request }: Judged,
): Promise<Judgement | KeysError> {
  const roles = new Map<DeviceId, Role | undefined>([[device, access.role]]);
  const accessOf: AccessOf = async (asked) => {
    const found = await tx.access(asked);
    roles.set(asked, found?.role);
    return found;
  };
  const before = await tx.log();
  const { entries, after, wraps } = request;
  if (before.length !== after) return { kind: "conflict" };
  // What is stored was verified when it came.
  const trusting = { ...log, verify: async (entry: string) => log.unverified(entry) };
  let state = await readLog(trusting, before, { namespace });
  if ("why" in state) return { kind: "invalid" };
  const rows: LogRow[] = [];
  const limited = new Set<string>();
  for (const entry of entries) {
    const next = await judgeEntry(log, accessOf, { access, state, entry });
    if ("kind" in next) return next;
    ({ state } = next);
    if (next.limited !== undefined) limited.add(next.limited);
    rows.push({ place: state.length - 1, entry, epoch: state.epoch });
  }
  const whole = { log, devices: state.devices, entries: [...before, ...entries] };
  const isTooMuch = [...limited].some((user) => isOverfilledBy(whole, user));
  return isTooMuch
    ? { kind: "too-large" }
    : (refusalOfWraps(access, state, wraps) ?? { rows, roles });
}

/** What a log is with one more entry, and whose entries in it are counted (EE26). */
async function judgeEntry(
  log: LogDeps,
  accessOf: AccessOf,
  {
    access,
    state,
    entry,
  }: { readonly access: Access; readonly state: LogState; readonly entry: string },
): Promise<{ readonly state: LogState; readonly limited: string | undefined } | KeysError> {
  const body = parseLogBody(log.unverified(entry));
  if (body === undefined) return { kind: "invalid" };
  const by = await speakerOf(accessOf, access, state, body);
  if (by === undefined) return { kind: "forbidden" };
  if (state.length >= roomFor(body)) return { kind: "too-large" };
  const next = await followLog(log, { namespace: state.namespace, state }, entry);
  if (typeof next === "string") return { kind: "invalid" };
  return { state: next, limited: isAtLeast(by.role, "admin") ? undefined : by.user };
}

/** Keys go to devices that are in, of epochs that there are; to others' devices from admins alone. */
function refusalOfWraps(
  access: Access,
  { epoch, devices }: LogState,
  wraps: readonly KeyWrap[],
): KeysError | undefined {
  const users = wraps.map((wrap) => {
    const to = devices.get(wrap.recipient);
    return to === undefined || to.isRemoved || wrap.epoch > epoch ? undefined : to.user;
  });
  if (users.includes(undefined)) return { kind: "invalid" };
  const isAllowed = isAtLeast(access.role, "admin") || users.every((user) => user === access.user);
  return isAllowed ? undefined : { kind: "forbidden" };
}

/**
 * The id of a new encrypted namespace. Its first entry has to be of the asking device, and no
 * namespace to be there that began with the same one.
 */
export async function beginSealed(
  { store, log }: SealedDeps,
  device: DeviceId,
  { genesis, wraps }: SealedBeginning,
): Promise<Result<NamespaceId, "invalid" | "conflict">> {
  const namespace = encryptedNamespaceId(log.sha256, genesis);
  const state = await readLog(log, [genesis], { namespace });
  if ("why" in state || !state.devices.has(device)) return fail("invalid");
  const isFit = wraps.every(({ recipient, epoch }) => epoch === 1 && recipient === device);
  if (!isFit) return fail("invalid");
  const isThere = (await store.readNamespace(namespace, async () => true)) ?? false;
  return isThere ? fail("conflict") : ok(namespace);
}

interface Judged {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  readonly access: Access;
  readonly request: KeysRequest;
}

/**
 * By whose right an entry is taken; undefined where by nobody's. A device says what its person may say.
 * What another device has signed, which still may, is taken from any member: so a log that was set
 * back is made whole by whoever has it (EE20).
 */
async function speakerOf(
  accessOf: AccessOf,
  asking: Access,
  state: LogState,
  body: LogBody,
): Promise<Access | undefined> {
  if (isInRole(asking, state, body)) return asking;
  const signer = body.kind === "genesis" ? undefined : await accessOf(body.by as DeviceId);
  return signer !== undefined && isInRole(signer, state, body) ? signer : undefined;
}

/** What concerns a member's own devices is theirs to say; all else is for admins, by their role now. */
function isInRole(access: Access, state: LogState, body: LogBody): boolean {
  if (isAtLeast(access.role, "admin")) return true;
  if (body.kind === "admit") return body.keys.user === access.user;
  return body.kind === "remove" && state.devices.get(body.device)?.user === access.user;
}
