import { fail, isAtLeast, ok, type DeviceId } from "@tidemark/protocol";
import {
  compareRow,
  followChain,
  nextAuditRow,
  type AuditEntry,
  type AuditRow,
} from "../audit-chain.ts";
import { deviceRefusedEntry } from "../audit-entries.ts";
import { auditItem, newsItem } from "../audit-items.ts";
import {
  copiedEveryMs,
  isNews,
  newsMax,
  outsideEveryMs,
  type AuditPage,
  type AuditQuery,
  type AuditStore,
  type CounterVerdict,
} from "../audit-port.ts";
import type { AccountState, StoredDevice } from "./account-state.ts";

/** Writes into the audit; called once the work cannot fail any more, as nothing here rolls back. */
export function appendAudit(
  state: AccountState,
  atMs: number,
  ...entries: readonly AuditEntry[]
): void {
  for (const entry of entries) {
    const head = state.audit.at(-1) ?? { seq: 0, hash: "" };
    state.audit.push(nextAuditRow(head, atMs, entry));
  }
}

/** The audit in memory. */
export function auditMethods(state: AccountState): AuditStore {
  return {
    audit: async (query) => readAudit(state, query),
    deviceLog: async (query) => {
      const user = auditReader(state, query.asking)?.user;
      if (user === undefined) return { items: [], hasMore: false };
      return page(state, query, (row) => row.aboutUser === user || row.actorUser === user);
    },
    news: async (asking) => {
      const reader = auditReader(state, asking);
      if (reader === undefined) return [];
      const { user, pairedAtMs } = reader;
      return state.audit
        .filter((row) => row.aboutUser === user && row.atMs >= pairedAtMs && isNews(row))
        .slice(-newsMax)
        .toReversed()
        .map(newsItem);
    },
    verifyAudit: async () => {
      const { head, brokenAt } = followChain({ seq: 0, hash: "" }, state.audit);
      return { rows: head.seq, head, ...(brokenAt === undefined ? {} : { brokenAt }) };
    },
    auditEnd: async () => {
      const { seq, hash } = state.audit.at(-1) ?? { seq: 0, hash: "" };
      return { seq, hash };
    },
    compareAudit: async (known, nowMs) => {
      const found = compareRow(known, state.audit.find(({ seq }) => seq === known.seq)?.hash);
      if (found === "holds") return found;
      appendAudit(state, nowMs, {
        event: "audit-set-back",
        details: { seq: known.seq, row: found },
      });
      return found;
    },
    showCounter: async (input) => showCounter(state, input),
    noteOutsider: async ({ device: id, nowMs, network }) => {
      const device = state.devices.get(id);
      if (device?.status !== "active") return;
      const entry = deviceRefusedEntry({ ...device, namespace: device.only?.namespace }, network);
      noteOutside(state, entry, nowMs);
    },
  };
}

/** Tells of something that is used from outside of its networks, at most once in a while (PR14). */
export function noteOutside(state: AccountState, entry: AuditEntry, nowMs: number): void {
  const isTold = state.audit.some(
    ({ event, target, atMs }) =>
      event === entry.event && target === entry.target && atMs > nowMs - outsideEveryMs,
  );
  if (!isTold) appendAudit(state, nowMs, entry);
}

/** Who asks; a machine's device reads no audit. */
function auditReader(state: AccountState, asking: DeviceId): StoredDevice | undefined {
  const device = state.devices.get(asking);
  return device?.status === "active" && device.only === undefined ? device : undefined;
}

function readAudit(
  state: AccountState,
  query: Parameters<AuditStore["audit"]>[0],
): Awaited<ReturnType<AuditStore["audit"]>> {
  const { namespace } = query;
  const reader = auditReader(state, query.asking);
  if (namespace === undefined) {
    const isOwner = reader !== undefined && state.users.get(reader.user)?.isOwner === true;
    return isOwner ? ok(page(state, query, () => true)) : fail({ kind: "forbidden" });
  }
  const members = state.namespaces.get(namespace)?.members;
  const role = reader === undefined ? undefined : members?.get(reader.user);
  if (role === undefined) return fail({ kind: "not-found" });
  if (!isAtLeast(role, "admin")) return fail({ kind: "forbidden" });
  return ok(page(state, query, (row) => row.namespace === namespace));
}

function page(
  state: AccountState,
  { before, limit }: AuditQuery,
  isAsked: (row: AuditRow) => boolean,
): AuditPage {
  const rows = state.audit
    .filter((row) => (before === undefined || row.seq < before) && isAsked(row))
    .toReversed();
  const items = rows.slice(0, limit).map((row) => {
    const { actorUser, actorDevice, aboutUser, namespace } = row;
    return auditItem({
      ...row,
      userName: nameIn(state.users, actorUser),
      deviceName: nameIn(state.devices, actorDevice),
      aboutName: nameIn(state.users, aboutUser),
      namespaceName: nameIn(state.namespaces, namespace),
    });
  });
  return { items, hasMore: rows.length > limit };
}

function nameIn<Id>(
  rows: ReadonlyMap<Id, { readonly name: string }>,
  id: Id | null,
): string | null {
  return id === null ? null : (rows.get(id)?.name ?? null);
}

function showCounter(
  state: AccountState,
  input: Parameters<AuditStore["showCounter"]>[0],
): CounterVerdict {
  const { device: id, counter, nowMs, network } = input;
  const device = state.devices.get(id);
  if (device?.status !== "active") return { kind: "unknown" };
  if (counter > device.counter) {
    state.devices.set(id, { ...device, counter });
    return { kind: "shown" };
  }
  const isTold = state.audit.some(
    (row) => row.event === "key-copied" && row.target === id && row.atMs > nowMs - copiedEveryMs,
  );
  if (!isTold) {
    const about = { aboutUser: device.user, target: id, network };
    appendAudit(state, nowMs, { event: "key-copied", ...about, details: { name: device.name } });
  }
  return { kind: "behind", counter: device.counter };
}
