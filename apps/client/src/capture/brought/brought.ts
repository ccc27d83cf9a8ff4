import type { Draft, ObservationKind } from "../draft.ts";

/** Which project something of another memory belongs to, as far as that memory tells. */
export interface BroughtProject {
  /** A name, mostly that of a folder. */
  readonly name?: string;
  /** `host/path` of its git remote. */
  readonly remote?: string;
  /** Its folder on the machine that wrote it. */
  readonly folder?: string;
}

/** One thing worth remembering out of another memory; not yet scrubbed, so not yet to be stored. */
export interface Brought extends Omit<Draft, "key" | "origin" | "kind"> {
  readonly kind: ObservationKind;
  /** Where it lay, for people: `claude-mem observation 12`. */
  readonly from: string;
  /**
   * What tells it from another of the same words, and is the same on every machine that has it, such
   * as its session and its time; empty where its words are all.
   */
  readonly key: string;
  readonly atMs?: number;
  readonly project?: BroughtProject;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  /** How far it may go: `device` never leaves this one, `person` reaches no team. */
  readonly reach?: "device" | "person";
}

/** One row or file of another memory: what it holds, or why nothing of it can be taken. */
export type BroughtRow =
  | { readonly ok: true; readonly value: Brought }
  | { readonly ok: false; readonly from: string; readonly reason: string };

/** What an observation has, before anything is known of it. */
export const nothingYet = {
  kind: "note",
  narrative: "",
  facts: [],
  concepts: [],
  filesRead: [],
  filesModified: [],
} as const satisfies Partial<Brought>;

/** What other memories call the kinds of observations, in our words. */
const kindOf: ReadonlyMap<string, ObservationKind> = new Map<string, ObservationKind>([
  ["bugfix", "fix"],
  ["change", "change"],
  ["feature", "change"],
  ["refactor", "change"],
  ["decision", "decision"],
  ["standard", "decision"],
  ["discovery", "discovery"],
  ["pattern", "discovery"],
]);

/** Our kind for another memory's. */
export function broughtKind(told: string | undefined): ObservationKind {
  return kindOf.get(told ?? "") ?? "note";
}

/** A time in milliseconds, which some memories keep in seconds. */
export function millisecondsOf(time: unknown): number | undefined {
  if (typeof time !== "number" || !Number.isFinite(time) || time <= 0) return undefined;
  return Math.trunc(time < 100_000_000_000 ? time * 1_000 : time);
}

/** The members of a list that stands in a column as JSON; a text that is none is its only member. */
export function listIn(column: unknown): readonly string[] {
  if (typeof column !== "string" || column.trim() === "") return [];
  try {
    const list: unknown = JSON.parse(column);
    if (Array.isArray(list)) return list.filter((each) => typeof each === "string" && each !== "");
  } catch {
    return [column];
  }
  return [column];
}

/** The first line of a text that says anything, without a heading's marks. */
export function firstLine(text: string): string {
  const lines = text.split("\n").filter((each) => each.trim() !== "");
  const line = (lines.find((each) => /[\p{L}\p{N}]/u.test(each)) ?? lines[0] ?? "").trim();
  return line.replace(/^[\s#>*-]+/u, "") || line;
}

/** Texts one below the other, each under its name; those that are not there are left out. */
export function namedParts(parts: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(parts)
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${name}: ${text ?? ""}`)
    .join("\n\n");
}
