import { hex, parseLogBody } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";

/**
 * Hash of the entry by which an epoch began, in the log as this device has seen it (EE31): two logs
 * that part have epochs of the same number, with other keys. Undefined for the first epoch, which the
 * namespace is named after.
 */
export function epochEntry(
  { db, sha256 }: Pick<StoreContext, "db" | "sha256">,
  namespace: string,
  epoch: number,
): string | undefined {
  if (epoch <= 1) return undefined;
  const row = db.get<{ readonly entries: string | null }>(
    "SELECT entries FROM namespace_logs WHERE namespace = ?",
    namespace,
  );
  const seen = JSON.parse(row?.entries ?? "[]") as readonly string[];
  const entry = seen.findLast((each) => isBeginning(each, epoch));
  return entry === undefined ? undefined : hex(sha256(entry));
}

/** The log was verified when it was taken. */
function isBeginning(entry: string, epoch: number): boolean {
  const [, payload = ""] = entry.split(".");
  const body = parseLogBody(Buffer.from(payload, "base64url").toString("utf8"));
  return body?.kind === "epoch" && body.epoch === epoch;
}
