import {
  newsEvents,
  type DeviceId,
  type NamespaceId,
  type NewsEvent,
  type Result,
} from "@tidemark/protocol";
import type { AuditItem, NewsItem } from "@tidemark/protocol/wire";
import type { AuditHead, AuditRow, AuditVerdict } from "./audit-chain.ts";
import type { AttemptRule } from "./pairing-rules.ts";

/** Rows of the audit, newest first, and whether older ones follow. */
export interface AuditPage {
  readonly items: readonly AuditItem[];
  readonly hasMore: boolean;
}

/** Why somebody may not read the audit: `not-found` to who must not know the namespace (AD4). */
export type AuditError = { readonly kind: "not-found" } | { readonly kind: "forbidden" };

/** Which part of the audit somebody asks for. */
export interface AuditQuery {
  readonly asking: DeviceId;
  /** Only rows below this one. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** What became of a counter that a device showed. */
export type CounterVerdict =
  | { readonly kind: "shown" }
  /** Not above `counter`, the highest so far: the key is in two places, or a home was restored. */
  | { readonly kind: "behind"; readonly counter: number }
  | { readonly kind: "unknown" };

/** Who did what (AD1). Rights are read in the transaction that reads the rows. */
export interface AuditStore {
  /** Rows of one namespace for its admins; without a namespace all rows, for the server's owner. */
  audit(
    query: AuditQuery & { readonly namespace: NamespaceId | undefined },
  ): Promise<Result<AuditPage, AuditError>>;
  /** Rows about the asking person's devices and by them; nothing for a device that is not active. */
  deviceLog(query: AuditQuery): Promise<AuditPage>;
  /**
   * The last few things that all devices of a person should know (AD5), newest first, since the
   * asking one was paired.
   */
  news(asking: DeviceId): Promise<readonly NewsItem[]>;
  /** Follows the whole chain (AD3). */
  verifyAudit(): Promise<AuditVerdict>;
  /** The last row; seq 0 where there is none. */
  auditEnd(): Promise<AuditHead>;
  /**
   * Looks whether a row is there that somebody has written down elsewhere, and tells the audit
   * itself where it is not (AD8).
   */
  compareAudit(known: AuditHead, nowMs: number): Promise<"holds" | "missing" | "other">;
  /**
   * Takes a device's counter if it is higher than every one before (AU16), in one guarded
   * statement. One that is not is written into the audit, at most once an hour and device.
   */
  showCounter(input: {
    readonly device: DeviceId;
    readonly counter: number;
    readonly nowMs: number;
    readonly network?: string | undefined;
  }): Promise<CounterVerdict>;
  /** Tells the audit of a machine that is refused, at most once in `outsideEveryMs` (PR14). */
  noteOutsider(input: Outsider): Promise<void>;
}

/** A machine that proved its key from outside of the networks that its link was made for. */
export interface Outsider {
  readonly device: DeviceId;
  readonly nowMs: number;
  readonly network?: string | undefined;
}

/**
 * Whether a row is told to all devices of its person. Machines that a link for fleets lets into a
 * namespace come and go; their rows name it, and its admins read of them in its audit. That a device
 * is under suspicion somewhere its person hears nonetheless.
 */
export function isNews(row: Pick<AuditRow, "event" | "namespace">): boolean {
  const events: readonly string[] = newsEvents;
  return events.includes(row.event) && (row.namespace === null || namedNews.includes(row.event));
}

/** News that are so although they name a namespace. */
export const namedNews: readonly string[] = [
  "device-quarantined",
  "quarantine-lifted",
] satisfies readonly NewsEvent[];

/** How many news a device is told. */
export const newsMax = 10;
/** A copied key is told of once in this time, in milliseconds. */
export const copiedEveryMs = 3_600_000;
/** A link or a machine that is used from outside of its networks is told of once in this time. */
export const outsideEveryMs = 3_600_000;
/** So many wrong setup secrets within a minute are worth a row. */
export const setupRefusals: AttemptRule = { what: "setup", windowMs: 60_000, max: 5, lockMs: 0 };
