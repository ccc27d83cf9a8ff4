import { parseLogBody, type LogBody, type LogDeps, type LogState } from "@tidemark/protocol";
import { serverLimits } from "../limits.ts";

const { entriesMax, lettingInMax, ofMemberMax } = serverLimits.membership;

/**
 * Entries that a membership log may have before one of this kind: who fills it keeps nobody from being
 * shut out (EE26).
 */
export function roomFor({ kind }: LogBody): number {
  return kind === "admit" ? lettingInMax : entriesMax;
}

/** A membership log that is believed. */
export interface WholeLog extends Pick<LogState, "devices"> {
  readonly log: Pick<LogDeps, "unverified">;
  readonly entries: readonly string[];
}

/** Whether a person's devices have signed more of a log than those of a member may (EE26). */
export function isOverfilledBy({ log, devices, entries }: WholeLog, user: string): boolean {
  const signed = entries.filter((entry) => {
    const body = parseLogBody(log.unverified(entry));
    return body?.kind !== "genesis" && devices.get(body?.by ?? "")?.user === user;
  });
  return signed.length > ofMemberMax;
}
