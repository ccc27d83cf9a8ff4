import type { Missing, Salvage } from "./salvage.ts";
import { comesBack } from "./salvage.ts";

/** What a repair did, as the store keeps it for `status` and `doctor`. */
export interface RepairReport {
  /** `repaired`: a new database took the place of a damaged one; `log-gone`: the database stayed. */
  readonly kind: "repaired" | "log-gone";
  /** Wall time in milliseconds. */
  readonly at: number;
  /** What was found, in a few words. */
  readonly cause: string;
  /** Where the damaged database is now; null where none was moved. */
  readonly aside: string | null;
  readonly saved: {
    readonly changes: number;
    readonly records: number;
    readonly events: number;
    readonly bindings: number;
  };
  readonly missing: Salvage["missing"];
  /** Saved changes that may not read as they were written. */
  readonly doubtful: number;
  /** Namespaces that a server gives back. */
  readonly comingBack: number;
}

/** Name under which the store keeps it. */
export const repairName = "repair";

/** Counts what was saved and what was not. */
export function reportOf(
  saved: Salvage,
  about: { readonly at: number; readonly cause: string; readonly aside: string },
): RepairReport {
  const withServer = new Set(saved.replicas.filter(comesBack).map(({ namespace }) => namespace));
  return {
    kind: "repaired",
    ...about,
    saved: {
      changes: saved.outbox.length,
      records: saved.records.filter(({ namespace }) => !withServer.has(namespace)).length,
      events: saved.events.length,
      bindings: saved.bindings.length,
    },
    missing: saved.missing,
    doubtful: saved.doubtful,
    comingBack: withServer.size,
  };
}

const unknown: Missing = { count: 0, isExact: false };

/** The report on a log that was taken away: what was in it alone is lost, and nobody can count it. */
export function logGoneReport(at: number): RepairReport {
  return {
    kind: "log-gone",
    at,
    cause: "its write-ahead log was taken away while it was in use",
    aside: null,
    saved: { changes: 0, records: 0, events: 0, bindings: 0 },
    missing: { changes: unknown, records: unknown, events: unknown, bindings: unknown },
    doubtful: 0,
    comingBack: 0,
  };
}

/** The report that a store keeps; undefined where it has none. */
export function readReport(text: string | undefined): RepairReport | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as RepairReport);
}

/** A report in words, a line each: what happened, what was saved, what is missing, where it is. */
export function reportLines(report: RepairReport): readonly string[] {
  if (report.kind === "log-gone") {
    return [
      `the database of this memory was found changed from outside: ${report.cause}`,
      "what was saved on this device shortly before, and not synced, may be missing",
    ];
  }
  const { aside, saved, doubtful, comingBack } = report;
  const parts = [
    some(saved.changes, "unsent change"),
    some(saved.records, "record of this device alone", "records of this device alone"),
    some(saved.events, "session event"),
    some(saved.bindings, "project binding"),
  ].filter((text) => text !== "");
  const lines = [
    `the database of this memory was damaged and has been replaced: ${report.cause}`,
    `saved: ${parts.length === 0 ? "nothing" : parts.join(", ")}`,
    missingLine(report.missing),
  ];
  if (doubtful > 0) {
    lines.push(
      `${amount(doubtful, "saved change")} may not read as written: look at it in history`,
    );
  }
  if (comingBack > 0) lines.push("everything else comes back from the server with the next sync");
  if (aside !== null) lines.push(`the damaged database is kept as ${aside}`);
  return lines;
}

function missingLine({ changes, records, events, bindings }: RepairReport["missing"]): string {
  const known = [
    lost(changes, "unsent change"),
    lost(records, "record of this device alone", "records of this device alone"),
    lost(events, "session event"),
    lost(bindings, "project binding"),
  ].filter((text) => text !== "");
  return known.length === 0 ? "missing: nothing" : `missing: ${known.join(", ")}`;
}

function lost({ count, isExact }: Missing, one: string, many = `${one}s`): string {
  if (count === 0) return isExact ? "" : `perhaps ${many}, and nobody can tell how many`;
  return `${amount(count, one, many)}${isExact ? "" : " or more"}`;
}

function some(count: number, one: string, many?: string): string {
  return count === 0 ? "" : amount(count, one, many);
}

function amount(count: number, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}
