import { createHash } from "node:crypto";
import {
  base32,
  chainNext,
  chainStart,
  decodeState,
  opLine,
  valueHash,
  type Base,
  type DeviceId,
  type JsonObject,
  type NamespaceId,
  type Op,
  type RecordId,
  type RecordState,
  type Result,
  type Role,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import type { PullTail, PushAnswer } from "@tidemark/protocol/wire";
import type { Store } from "../../store/port.ts";
import { pull } from "../pull.ts";
import { createPush, type Push } from "../push.ts";
import { quotaPreset, type Quota } from "../quota.ts";
import type { SyncDeps } from "../sync-deps.ts";
import type { SyncError } from "../sync-error.ts";

/** SHA-256 for tests. */
export function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

/** Bytes that follow from a seed. */
export function seededRandom(seed: string): { bytes(count: number): Uint8Array } {
  let calls = 0;
  return {
    bytes: (count) => {
      calls += 1;
      return sha256(`${seed} ${calls}`).subarray(0, count);
    },
  };
}

/** A server with one team namespace, as the rules of sync see it. */
export interface World {
  readonly deps: SyncDeps;
  readonly push: Push;
  readonly namespace: NamespaceId;
  /** The owner's device. */
  readonly owner: DeviceId;
  /** Heads as they were poked. */
  readonly pokes: { readonly namespace: NamespaceId; readonly head: number }[];
  /** Admits a person with one device to the namespace. */
  readonly admit: (
    name: string,
    role: Role,
  ) => Promise<{ readonly device: DeviceId; readonly user: UserId }>;
  /** Makes another namespace of the owner. */
  readonly namespaceOf: (name: string) => Promise<NamespaceId>;
  readonly writer: (name: string, device?: DeviceId, namespace?: NamespaceId) => TestWriter;
  /** Pulls all pages, from a cursor or from the start. */
  readonly pullAll: (options?: PullOptions) => Promise<Pulled>;
}

/** What to pull, and as whom. */
export interface PullOptions {
  readonly device?: DeviceId;
  readonly namespace?: NamespaceId;
  readonly after?: string;
  readonly writer?: WriterId;
  readonly limit?: number;
}

/** What pages brought, the last state of each record. */
export interface Pulled {
  readonly states: ReadonlyMap<RecordId, RecordState>;
  readonly seqs: readonly number[];
  readonly tail: PullTail;
}

/** A client's outbox, as little of it as a test needs: it stamps, numbers and chains lines. */
export interface TestWriter {
  readonly id: WriterId;
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  n: number;
  acked: number;
  ackedChain: string;
  lamport: number;
  put(record: string, fields: JsonObject, more?: Partial<Op> & { parent?: RecordId }): string;
  set(record: string, fields: JsonObject, base?: Base, more?: Partial<Op>): string;
  forget(record: string, more?: Partial<Op>): string;
  /** Pushes lines after what was acknowledged, and takes the answer. */
  send(...lines: readonly string[]): Promise<Result<PushAnswer, SyncError>>;
}

/** Builds a world on an empty store. */
export async function createWorld(
  store: Store,
  seed = "world",
  quota: Quota = quotaPreset,
): Promise<World> {
  const pokes: World["pokes"] = [];
  const deps: SyncDeps = {
    store,
    sha256,
    random: seededRandom(seed),
    quota,
    onHeadMoved: (namespace, head) => void pokes.push({ namespace, head }),
  };
  const push = createPush(deps);
  const owner = "dev_owner" as DeviceId;
  await claimServer(store);
  const namespaceOf = async (name: string): Promise<NamespaceId> => {
    const id = `ns_${name}` as NamespaceId;
    await store.accounts.createNamespace({ asking: owner, id, name, mark: "mark0" });
    return id;
  };
  const namespace = await namespaceOf("team");
  return {
    deps,
    push,
    namespace,
    owner,
    pokes,
    namespaceOf,
    admit: (name, role) => admit(store, namespace, { name, role }),
    writer: (name, device = owner, place = namespace) =>
      createWriter(push, { id: name as WriterId, device, namespace: place }),
    pullAll: (options = {}) => pullAll(deps, { device: owner, namespace, ...options }),
  };
}

/** What a base or a past clock says of a value. */
export function entryOf(
  lamport: number,
  writer: WriterId,
  value: JsonObject[string],
): readonly [number, WriterId, string] {
  return [lamport, writer, valueHash(sha256, value)];
}

/** The values of a live record; undefined for a tombstone and for nothing. */
export function valuesOf(state: RecordState | undefined): JsonObject | undefined {
  if (state === undefined || "forgotten" in state) return undefined;
  return Object.fromEntries(
    Object.entries(state.registers).map(([field, register]) => [field, register.value]),
  );
}

function createWriter(
  push: Push,
  place: { readonly id: WriterId; readonly device: DeviceId; readonly namespace: NamespaceId },
): TestWriter {
  const stamp = (record: string): Pick<Op, "n" | "record" | "collection" | "lamport" | "at"> => {
    writer.n += 1;
    writer.lamport += 1;
    const { n, lamport } = writer;
    return { n, record: record as RecordId, collection: "observation", lamport, at: 1000 + n };
  };
  const writer: TestWriter = {
    ...place,
    n: 0,
    acked: 0,
    ackedChain: chainStart(sha256, place.id),
    lamport: 0,
    put: (record, fields, more = {}) =>
      opLine({ ...stamp(record), op: "put", fields, ...more } as Op),
    set: (record, fields, base = {}, more = {}) =>
      opLine({ ...stamp(record), op: "set", fields, base, ...more }),
    forget: (record, more = {}) => opLine({ ...stamp(record), op: "forget", ...more } as Op),
    send: async (...lines) => {
      const header = { writer: place.id, after: writer.acked, chain: writer.ackedChain };
      const { namespace, device } = place;
      const answer = await push({ namespace, device, header, lines });
      if (answer.ok) {
        writer.acked = answer.value.position.acked;
        for (const line of lines) writer.ackedChain = chainNext(sha256, writer.ackedChain, line);
        writer.lamport = Math.max(writer.lamport, answer.value.lamport);
      }
      return answer;
    },
  };
  return writer;
}

async function pullAll(
  deps: SyncDeps,
  options: PullOptions & { readonly device: DeviceId; readonly namespace: NamespaceId },
): Promise<Pulled> {
  const states = new Map<RecordId, RecordState>();
  const seqs: number[] = [];
  let after = options.after ?? "";
  for (;;) {
    const page = await pull(deps, { ...options, after });
    if (!page.ok) throw new Error(`pull failed: ${page.error.kind}`);
    for (const line of page.value.lines) {
      const decoded = decodeState(line);
      if (!decoded.ok) throw new Error(`unreadable line: ${line}`);
      states.set(decoded.value.state.id, decoded.value.state);
      seqs.push(decoded.value.seq ?? 0);
    }
    after = page.value.tail.cursor;
    if (!page.value.tail.more) return { states, seqs, tail: page.value.tail };
  }
}

async function claimServer(store: Store): Promise<void> {
  const { accounts } = store;
  await accounts.server(() => "srv");
  await accounts.saveSetupSecret("setup", 10);
  await accounts.claim({
    secretHash: "setup",
    nowMs: 1,
    user: userOf("owner"),
    device: deviceOf("owner"),
  });
}

async function admit(
  store: Store,
  namespace: NamespaceId,
  who: { readonly name: string; readonly role: Role },
): Promise<{ readonly device: DeviceId; readonly user: UserId }> {
  const { accounts } = store;
  const id = `inv_${who.name}`;
  await accounts.createLink({
    id,
    kind: "invite",
    authHash: "auth",
    createdBy: "usr_owner" as UserId,
    createdByDevice: "dev_owner" as DeviceId,
    namespace,
    role: who.role,
    expiresAtMs: 10,
  });
  const device = deviceOf(who.name);
  const user = userOf(who.name);
  await accounts.redeemLink({ id, authHash: "auth", mac: "mac", nowMs: 1, device, user });
  return { device: device.id, user: user.id };
}

function userOf(name: string) {
  const personal = { id: `ns_of_${name}` as NamespaceId, name: "personal", mark: "mark0" };
  return { id: `usr_${name}` as UserId, name, personal };
}

function deviceOf(name: string) {
  return {
    id: `dev_${name}` as DeviceId,
    name: `${name}'s laptop`,
    platform: "linux",
    key: { kty: "OKP", crv: "Ed25519", x: base32(sha256(name)).slice(0, 43) } as const,
    thumbprint: `print_${name}`,
  };
}
