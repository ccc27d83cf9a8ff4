import type { AuditDetails, AuditItem, NewsItem } from "@tidemark/protocol/wire";
import type { AuditRow } from "./audit-chain.ts";

/** A row with the names that its ids have today. */
export interface ShownRow extends AuditRow {
  readonly userName: string | null;
  readonly deviceName: string | null;
  readonly aboutName: string | null;
  readonly namespaceName: string | null;
}

/** A row as its readers are told. */
export function auditItem(row: ShownRow): AuditItem {
  const { seq, atMs: at, event, target, network, hash } = row;
  return {
    seq,
    at,
    event,
    user: named(row.actorUser, row.userName),
    device: named(row.actorDevice, row.deviceName),
    about: named(row.aboutUser, row.aboutName),
    namespace: named(row.namespace, row.namespaceName),
    target: target ?? undefined,
    network: network ?? undefined,
    details: JSON.parse(row.details) as AuditDetails,
    hash,
  };
}

/** A row as all devices of the person are told (AD5). */
export function newsItem(row: AuditRow): NewsItem {
  const { seq, atMs: at, event, target, actorDevice, network } = row;
  return {
    seq,
    at,
    event,
    device: target ?? undefined,
    by: actorDevice ?? undefined,
    network: network ?? undefined,
    details: JSON.parse(row.details) as AuditDetails,
  };
}

function named<Id extends string>(
  id: Id | null,
  name: string | null,
): { readonly id: Id; readonly name: string } | undefined {
  return id === null ? undefined : { id, name: name ?? "" };
}
