/** The rows that contracts of the store are written with. */
import type { DeviceId, NamespaceId, RecordId, UserId, WriterId } from "@tidemark/protocol";
import { expect } from "vitest";
import type { AdmittedDevice, AdmittedUser, LinkRow } from "../accounts-port.ts";
import type {
  Head,
  NamespaceWriter,
  RevisionRow,
  RevisionsRoom,
  Store,
  StoredRecord,
} from "../port.ts";

/** The owner's personal namespace. */
export const namespace = "ns_personal" as NamespaceId;
/** Who claimed the server. */
export const owner = "usr_owner" as UserId;
/** The device that claimed it. */
export const laptop = "dev_laptop" as DeviceId;
/** More than any page holds. */
export const far = 1_000_000;

/** A record id. */
export function id(text: string): RecordId {
  return text as RecordId;
}

/** Record ids. */
export function ids(...texts: readonly string[]): readonly RecordId[] {
  return texts.map(id);
}

/** A clock that moves by one at each look. */
export function ticking(): { nowMs(): number } {
  let now = 0;
  return { nowMs: () => (now += 1) };
}

/** A person who is let in. */
export function user(name: string): AdmittedUser {
  const personal = name === "owner" ? namespace : (`ns_${name}` as NamespaceId);
  return {
    id: `usr_${name}` as UserId,
    name: "Olga",
    personal: { id: personal, name: "personal", mark: "mark0" },
  };
}

/** A device that is let in. */
export function device(name: string): AdmittedDevice {
  return {
    id: `dev_${name}` as DeviceId,
    name,
    platform: "linux",
    key: { kty: "OKP", crv: "Ed25519", x: name },
    thumbprint: `print_${name}`,
  };
}

/** A link of the owner. */
export function link(name: string, kind: "device" | "invite"): LinkRow {
  return {
    id: name,
    kind,
    authHash: "auth",
    createdBy: owner,
    createdByDevice: laptop,
    namespace: undefined,
    role: undefined,
    expiresAtMs: 100,
  };
}

/** A store whose server the owner has claimed. */
export async function claimed(store: Store): Promise<Store> {
  await store.accounts.server(() => "srv");
  await store.accounts.saveSetupSecret("hash", 100);
  const made = await store.accounts.claim({
    secretHash: "hash",
    nowMs: 50,
    user: user("owner"),
    device: device("laptop"),
  });
  expect(made).toMatchObject({ ok: true, value: { user: { id: owner }, device: { id: laptop } } });
  return store;
}

/** A team namespace of the owner. */
export async function team(accounts: Store["accounts"]): Promise<NamespaceId> {
  const input = { asking: laptop, id: "ns_team" as NamespaceId, name: "team", mark: "mark0" };
  const made = await accounts.createNamespace(input);
  expect(made).toMatchObject({ ok: true, value: { kind: "team", role: "owner", head: 0 } });
  return input.id;
}

/** A live record. */
export function live(
  name: string,
  seq: number,
  fields: { title: string } = { title: "t" },
): StoredRecord {
  const clock = { lamport: seq, writer: "w1" as WriterId };
  return {
    seq,
    state: {
      id: id(name),
      collection: "observation",
      registers: { title: { value: fields.title, clock, at: 3 } },
    },
    digest: "00000000000000aa",
    bytes: 13,
    via: undefined,
  };
}

/** A value that was replaced. */
export function revision(record: string, lamport: number): RevisionRow {
  return {
    record: id(record),
    field: "title",
    value: '"old"',
    lamport,
    writer: "w1" as WriterId,
    at: 1,
    hash: `h${lamport}`,
    replacedByLamport: 9,
    replacedByWriter: "w2" as WriterId,
    via: undefined,
  };
}

/** A head at a seq. */
export function headAt(seq: number): Head {
  return {
    head: seq,
    mark: `mark${seq}`,
    lamport: seq,
    digest: "80000000000000aa",
    count: 1,
    liveCount: 1,
    liveBytes: 13,
  };
}

/** Saves records and the head of the last one. */
export async function save(store: Store, records: readonly StoredRecord[]): Promise<void> {
  await store.writeNamespace(namespace, async (tx) => {
    await tx.saveRecords(records);
    await tx.saveHead(headAt(records.at(-1)?.seq ?? 0));
  });
}

/** A page of the owner's namespace. */
export async function readPage(
  store: Store,
  after: number,
  most: { readonly count: number; readonly bytes: number },
): Promise<Awaited<ReturnType<NamespaceWriter["page"]>>> {
  const page = await store.readNamespace(namespace, (tx) => tx.page(after, most.count, most.bytes));
  return page ?? [];
}

/** Room for all of a history that a test makes. */
export const muchRoom: RevisionsRoom = { countMax: 1_000, bytesMax: far };

/** All that a read of the namespace shows. */
export async function everything(store: Store): Promise<unknown> {
  return store.readNamespace(namespace, async (tx) => ({
    head: await tx.head(),
    page: await tx.page(0, 100, far),
    revisions: await tx.revisions(id("r1"), muchRoom),
    mark: await tx.markOf(4),
  }));
}

/** Records in the order of their seqs. */
export function bySeq(records: readonly StoredRecord[] | undefined): readonly StoredRecord[] {
  return (records ?? []).toSorted((left, right) => left.seq - right.seq);
}
