import { sha256Hex, type Sha256 } from "../hash.ts";
import type { NamespaceId } from "../ids.ts";
import { encryptedNamespaceId } from "./encrypted-id.ts";
import { parseLogBody, type LogBody, type LogKeys, type LogRole } from "./log-body.ts";

/** A device that the log has let in. */
export interface LogDevice extends LogKeys {
  readonly role: LogRole;
  /** An admin now or before: keys that it wrapped then are taken from it still (EE7). */
  readonly wasAdmin: boolean;
  readonly isRemoved: boolean;
  /** The device that let it in, the last time. */
  readonly by: string;
}

/** Who began an epoch, where in the log, and with what nonce. */
export interface LogBeginning {
  readonly by: string;
  /** Hash of the entry before. */
  readonly prev: string;
  readonly nonce: string;
}

/** How an epoch began. */
export interface LogEpoch {
  /** What its keys hash to. */
  readonly commit: string;
  /** What its key follows from for the device that began it; undefined where it was drawn. */
  readonly begun: LogBeginning | undefined;
}

/** What a verified log says. */
export interface LogState {
  readonly namespace: NamespaceId;
  /** Hash of the last entry, and how many there are. */
  readonly head: string;
  readonly length: number;
  /** By device. */
  readonly devices: ReadonlyMap<string, LogDevice>;
  readonly epoch: number;
  /** By number, from 1. */
  readonly epochs: ReadonlyMap<number, LogEpoch>;
  /** Somebody was removed since the epoch began: the next key is due. */
  readonly isRotationDue: boolean;
}

/** Why a log is not to be believed; the place is the entry's number from 0. */
export interface LogRefusal {
  readonly why:
    /** Its first entry is not the one that the namespace is named after. */
    | "foreign"
    /** It does not follow from the entry before it: cut, reordered or put in. */
    | "broken-chain"
    | "bad-signature"
    | "unreadable"
    /** Signed by who may not say that: no member, one who was removed, or one of too little right. */
    | "not-allowed"
    /** It goes not on from where this device has seen it. */
    | "rolled-back";
  readonly at: number;
}

/** How far this device has seen a log. */
export interface LogPin {
  readonly length: number;
  readonly head: string;
}

/** What reading a log needs. `verify` gives the payload of an entry that the key has signed. */
export interface LogDeps {
  readonly sha256: Sha256;
  verify(entry: string, sig: string): Promise<string | undefined>;
  /** The payload of an entry, whoever signed it. */
  unverified(entry: string): string | undefined;
}

/** What a log is read against. */
export interface LogExpectation {
  readonly namespace: NamespaceId;
  readonly pin?: LogPin | undefined;
}

/**
 * Reads a membership log (EE6): a chain of signed entries that begins with the one that the
 * namespace is named after. Each has to be signed by a device that was in it then and had the right.
 * One bad entry refuses all of it: a server relays the log and has nothing to say in it.
 */
export async function readLog(
  deps: LogDeps,
  entries: readonly string[],
  { namespace, pin }: LogExpectation,
): Promise<LogState | LogRefusal> {
  const genesis = entries[0];
  if (genesis === undefined || encryptedNamespaceId(deps.sha256, genesis) !== namespace) {
    return { why: "foreign", at: 0 };
  }
  let state: LogState | undefined;
  for (const [at, entry] of entries.entries()) {
    const next = await followLog(deps, { namespace, state }, entry);
    if (typeof next === "string") return { why: next, at };
    state = next;
    if (isElsewhere(pin, next)) return { why: "rolled-back", at };
  }
  if (state === undefined || isBehind(pin, state))
    return { why: "rolled-back", at: entries.length };
  return state;
}

function isElsewhere(pin: LogPin | undefined, { length, head }: LogState): boolean {
  return pin !== undefined && pin.length === length && pin.head !== head;
}

function isBehind(pin: LogPin | undefined, { length }: LogState): boolean {
  return pin !== undefined && length < pin.length;
}

/** What one more entry makes of a log that is believed, or why it may not be there. */
export async function followLog(
  deps: LogDeps,
  { namespace, state }: { readonly namespace: NamespaceId; readonly state: LogState | undefined },
  entry: string,
): Promise<LogState | LogRefusal["why"]> {
  const read = await readEntry(deps, state, entry);
  if (typeof read === "string") return read;
  const next = state === undefined ? begun(namespace, read) : follow(state, read);
  if (next === undefined) return "not-allowed";
  return { ...next, head: sha256Hex(deps.sha256, entry), length: (state?.length ?? 0) + 1 };
}

async function readEntry(
  deps: LogDeps,
  state: LogState | undefined,
  entry: string,
): Promise<LogBody | LogRefusal["why"]> {
  const told = parseLogBody(deps.unverified(entry));
  if (told === undefined) return "unreadable";
  if ((told.kind === "genesis") !== (state === undefined)) return "broken-chain";
  if (told.kind !== "genesis" && told.prev !== state?.head) return "broken-chain";
  const sig = told.kind === "genesis" ? told.keys.sig : state?.devices.get(told.by)?.sig;
  if (sig === undefined) return "not-allowed";
  const verified = parseLogBody(await deps.verify(entry, sig));
  return verified ?? "bad-signature";
}

function begun(
  namespace: NamespaceId,
  body: LogBody,
): Omit<LogState, "head" | "length"> | undefined {
  if (body.kind !== "genesis") return undefined;
  const creator: LogDevice = {
    ...body.keys,
    role: "admin",
    wasAdmin: true,
    isRemoved: false,
    by: body.keys.device,
  };
  return {
    namespace,
    devices: new Map([[creator.device, creator]]),
    epoch: 1,
    epochs: new Map([[1, { commit: body.commit, begun: undefined }]]),
    isRotationDue: false,
  };
}

/** What an entry makes of a log; undefined where its signer may not say it. */
function follow(state: LogState, body: LogBody): LogState | undefined {
  if (body.kind === "genesis") return undefined;
  const signer = state.devices.get(body.by);
  if (signer === undefined || signer.isRemoved) return undefined;
  switch (body.kind) {
    case "admit":
      return admitted(state, signer, body);
    case "remove":
      return removed(state, signer, body.device);
    case "epoch":
      return rotated(state, signer, body);
  }
}

function admitted(
  state: LogState,
  signer: LogDevice,
  { keys, role }: Extract<LogBody, { kind: "admit" }>,
): LogState | undefined {
  const known = state.devices.get(keys.device);
  const isAllowed =
    known === undefined ? mayLetIn(signer, keys, role) : mayChange(known, signer, { keys, role });
  if (!isAllowed) return undefined;
  const wasAdmin = role === "admin" || known?.wasAdmin === true;
  const by = known?.isRemoved === false ? known.by : signer.device;
  const device: LogDevice = { ...keys, role, wasAdmin, isRemoved: false, by };
  const devices = new Map(state.devices).set(keys.device, device);
  return { ...state, devices };
}

function mayLetIn(signer: LogDevice, { user }: LogKeys, role: LogRole): boolean {
  return signer.role === "admin" || (user === signer.user && role === "member");
}

/**
 * Who was removed comes back by an admin's word, and who is in gets another right (EE25): with
 * the keys of before and no others.
 */
function mayChange(
  known: LogDevice,
  signer: LogDevice,
  { keys, role }: { readonly keys: LogKeys; readonly role: LogRole },
): boolean {
  const isSame = known.user === keys.user && known.sig === keys.sig && known.enc === keys.enc;
  return signer.role === "admin" && isSame && (known.isRemoved || known.role !== role);
}

function removed(state: LogState, signer: LogDevice, device: string): LogState | undefined {
  const gone = state.devices.get(device);
  if (gone === undefined || gone.isRemoved) return undefined;
  if (signer.role !== "admin" && gone.user !== signer.user) return undefined;
  const devices = new Map(state.devices).set(device, { ...gone, isRemoved: true });
  return { ...state, devices, isRotationDue: true };
}

function rotated(
  state: LogState,
  signer: LogDevice,
  { epoch, commit, by, prev, nonce }: Extract<LogBody, { kind: "epoch" }>,
): LogState | undefined {
  if (signer.role !== "admin" || epoch !== state.epoch + 1) return undefined;
  const begun = nonce === undefined ? undefined : { by, prev, nonce };
  const epochs = new Map(state.epochs).set(epoch, { commit, begun });
  return { ...state, epoch, epochs, isRotationDue: false };
}
