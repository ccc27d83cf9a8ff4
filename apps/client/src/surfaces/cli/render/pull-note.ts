import type { NamespaceStatus } from "../../../sync/status.ts";
import { ageOf, counted } from "./text.ts";

/** How long a namespace may go on without a pull that reached its end before that is told. */
const lateMs = 3_600_000;

/**
 * Since when no pull has reached the end of a namespace, and how much came of it (EN28): an honest
 * server of a large namespace gets there, one that makes records up never does. Empty where there is
 * nothing to tell.
 */
export function pullNote(
  { status, synced, syncedAt, records }: NamespaceStatus,
  nowMs: number,
): string {
  const here = `${counted(records, "record")} here`;
  // Whoever takes along what a namespace holds takes it for all of it (CL85).
  const isCut = status === "parked" && syncedAt === null && records > 0;
  if (isCut) return `no pull is known to have reached its end: ${here}`;
  if (status !== "active" || synced) return "";
  if (syncedAt === null) return records === 0 ? "" : `not pulled to its end yet: ${here}`;
  if (nowMs - syncedAt < lateMs) return "";
  return `last pulled to its end ${ageOf(nowMs, syncedAt)} ago: ${here}`;
}
