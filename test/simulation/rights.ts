import {
  isAtLeast,
  type DeviceId,
  type NamespaceId,
  type RecordId,
  type Role,
  type WriterId,
} from "../../packages/protocol/src/index.ts";
import type { WriterRow } from "../../apps/server/src/store/port.ts";
import type { AccountState } from "../../apps/server/src/store/memory/account-state.ts";
import type {
  NamespaceState,
  RecordRow,
} from "../../apps/server/src/store/memory/namespace-state.ts";

/** A promise that a write broke. */
export interface Wrong {
  readonly rule: string;
  readonly what: string;
}

interface Write {
  readonly accounts: AccountState;
  readonly state: NamespaceState;
  readonly writersBefore: ReadonlyMap<WriterId, WriterRow>;
  readonly recordsBefore: ReadonlyMap<RecordId, RecordRow>;
}

/**
 * Holds a write to who may write, by what it stored alone. Called before the write; what it gives
 * is called after it and tells what was stored for somebody without the right.
 */
export function watchRights(
  accounts: AccountState,
  namespace: NamespaceId,
): () => Wrong | undefined {
  const state = accounts.namespaces.get(namespace);
  if (state === undefined) return () => undefined;
  const writersBefore = new Map(state.writers);
  const recordsBefore = new Map(state.records);
  const write = { accounts, state, writersBefore, recordsBefore };
  return () => wrongPush(write) ?? wrongHeal(write) ?? wrongForget(write);
}

function roleOf({ accounts, state }: Write, device: DeviceId | undefined): Role | undefined {
  const row = device === undefined ? undefined : accounts.devices.get(device);
  return row?.status === "active" ? state.members.get(row.user) : undefined;
}

function pushed({ state, writersBefore }: Write): readonly WriterRow[] {
  return [...state.writers.values()].filter((row) => writersBefore.get(row.writer) !== row);
}

/** Nothing of strangers and revoked devices is taken (NS7), and of readers' ops none (NS5). */
function wrongPush(write: Write): Wrong | undefined {
  for (const { device, acked, since, results } of pushed(write)) {
    const role = roleOf(write, device);
    if (role === undefined) return { rule: "NS7", what: `a push of ${device} was taken` };
    const refused = results.filter(({ result }) => result === "rejected").length;
    if (!isAtLeast(role, "writer") && refused < acked - since) {
      return { rule: "NS5", what: `a push of the reader ${device} was taken` };
    }
  }
  return undefined;
}

/** A heal is a write (HL5). A writer that no push has named yet is nobody's. */
function wrongHeal(write: Write): Wrong | undefined {
  const { state, recordsBefore } = write;
  for (const [id, { via }] of state.records) {
    if (via === undefined || recordsBefore.get(id)?.via === via) continue;
    const device = state.writers.get(via)?.device;
    const role = roleOf(write, device);
    if (device === undefined || (role !== undefined && isAtLeast(role, "writer"))) continue;
    return { rule: "HL5", what: `${device} healed ${id} as ${role ?? "a stranger"}` };
  }
  return undefined;
}

/** Who made a record may forget it, and admins; what hangs on it goes along (NS6). */
function wrongForget(write: Write): Wrong | undefined {
  const { accounts, state, recordsBefore } = write;
  for (const [id, { form, author }] of recordsBefore) {
    const after = state.records.get(id);
    if (form.fields === null || after?.form.fields !== null) continue;
    const parent = form.parent === null ? undefined : state.records.get(form.parent);
    if (form.collection === "conflict" || parent?.form.fields === null) continue;
    const healed = after.via === undefined ? undefined : state.writers.get(after.via);
    const asking = [...pushed(write), ...(healed === undefined ? [] : [healed])];
    const hasRight = asking.some(({ device }) => {
      const role = roleOf(write, device);
      const isAuthor = accounts.devices.get(device)?.user === author;
      return role !== undefined && (isAuthor || isAtLeast(role, "admin"));
    });
    if (asking.length > 0 && !hasRight) {
      return { rule: "NS6", what: `${id} was forgotten by ${asking[0]?.device ?? ""}` };
    }
  }
  return undefined;
}
