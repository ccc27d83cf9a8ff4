import { join } from "node:path";
import { readTextIfAny, writePrivateFile } from "./files.ts";
import type { Random } from "./random.ts";

/** The last row of the audit that this server has seen. */
export interface AuditEnd {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Reads what the data directory remembers of the audit's end; undefined where there is nothing, or
 * nothing readable: it is a witness, and without one the server starts all the same.
 */
export async function readAuditEnd(dataDir: string): Promise<AuditEnd | undefined> {
  const text = await readTextIfAny(pathIn(dataDir));
  if (text === undefined) return undefined;
  const [, seq = "", hash = ""] = /^([1-9]\d{0,14}) ([0-9A-Za-z_-]{43})\n$/.exec(text) ?? [];
  return seq === "" ? undefined : { seq: Number(seq), hash };
}

/** Writes it, whole or not at all, readable by the server alone. */
export async function writeAuditEnd(
  random: Random,
  dataDir: string,
  { seq, hash }: AuditEnd,
): Promise<void> {
  await writePrivateFile(random, pathIn(dataDir), `${seq} ${hash}\n`);
}

function pathIn(dataDir: string): string {
  return join(dataDir, "audit-end");
}
