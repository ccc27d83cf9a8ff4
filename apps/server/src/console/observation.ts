import {
  isTombstone,
  oldestRegister,
  type JsonValue,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import type { Suspect, WriterInfo } from "@tidemark/protocol/wire";
import type { StoredRecord } from "../store/port.ts";

/** An observation as people read it. */
export interface Observation {
  readonly id: RecordId;
  readonly title: string;
  readonly kind: string;
  readonly narrative: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
  readonly project: string;
  readonly agent: string;
  readonly atMs: number;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
  readonly author: WriterInfo | undefined;
  /** Whether a device in quarantine has put words of it there (QU1). */
  readonly isSuspect: boolean;
  readonly seq: number;
}

/** What stands where a record has no title that the server can read. */
const untitled = "Without a title";

/** Reads a record's fields, of whatever version wrote them; undefined for a forgotten one. */
export function observationOf(
  stored: StoredRecord,
  known: {
    readonly writers: ReadonlyMap<WriterId, WriterInfo>;
    readonly suspects: readonly Suspect[];
  },
): Observation | undefined {
  const { state, seq } = stored;
  if (isTombstone(state)) return undefined;
  const { registers } = state;
  const value = (field: string): JsonValue | undefined => registers[field]?.value;
  const oldest = oldestRegister(registers);
  const hidden = new Set(
    known.suspects.filter(({ aboveSeq }) => seq > aboveSeq).map(({ device }) => device),
  );
  return {
    id: state.id,
    seq,
    title: textOf(value("title")) || untitled,
    kind: textOf(value("kind")),
    narrative: textOf(value("narrative")),
    facts: textsOf(value("facts")),
    concepts: textsOf(value("concepts")),
    filesRead: textsOf(value("filesRead")),
    filesModified: textsOf(value("filesModified")),
    project: textOf(value("project")),
    agent: textOf(value("agent")),
    atMs: oldest?.at ?? 0,
    isPinned: value("pinned") === true,
    isArchived: value("archived") === true,
    author: oldest === undefined ? undefined : known.writers.get(oldest.clock.writer),
    isSuspect: Object.values(registers).some(({ clock }) => {
      const device = known.writers.get(clock.writer)?.device;
      return device !== undefined && hidden.has(device);
    }),
  };
}

/** A value of any kind as text. */
export function valueText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((member) => valueText(member)).join("\n");
  return JSON.stringify(value);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === "string") : [];
}
