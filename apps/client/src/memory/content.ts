import type { JsonValue } from "@tidemark/protocol";
import { memoryLimits } from "./limits.ts";

/** The parts of an observation that hold text. */
export interface Content {
  readonly title: string;
  readonly narrative: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
}

/** Names of the parts, as fields of a record. */
export type ContentField = keyof Content;

/** How much of one part fits. */
export interface PartLimit {
  readonly unit: "characters" | "bytes";
  /** Of the text, or of each member of a list. */
  readonly max: number;
  /** Members of a list; undefined for a text. */
  readonly membersMax?: number;
}

const { titleCharsMax, narrativeBytesMax, factsMax, factBytesMax } = memoryLimits;
const { conceptsMax, conceptCharsMax, filesMax, fileCharsMax } = memoryLimits;

/** The limit of every part (CN10). */
export const partLimits: Readonly<Record<ContentField, PartLimit>> = {
  title: { unit: "characters", max: titleCharsMax },
  narrative: { unit: "bytes", max: narrativeBytesMax },
  facts: { unit: "bytes", max: factBytesMax, membersMax: factsMax },
  concepts: { unit: "characters", max: conceptCharsMax, membersMax: conceptsMax },
  filesRead: { unit: "characters", max: fileCharsMax, membersMax: filesMax },
  filesModified: { unit: "characters", max: fileCharsMax, membersMax: filesMax },
};

/** A part that a person gave and that does not fit. */
export interface TooLong {
  readonly kind: "too-long";
  readonly field: string;
  readonly max: number;
  readonly unit: "characters" | "bytes" | "members";
}

/** What of a part does not fit, or undefined if all does. */
export function tooLong(field: string, value: JsonValue, limit: PartLimit): TooLong | undefined {
  const { unit, max, membersMax } = limit;
  const members = Array.isArray(value) ? value : [value];
  if (membersMax !== undefined && members.length > membersMax) {
    return { kind: "too-long", field, max: membersMax, unit: "members" };
  }
  const fits = members.every((member) => typeof member !== "string" || sizeOf(member, unit) <= max);
  return fits ? undefined : { kind: "too-long", field, max, unit };
}

/** The part cut to its limit, each cut marked with an ellipsis (CN11). */
export function cutPart<T extends string | readonly string[]>(value: T, limit: PartLimit): T;
export function cutPart(
  value: string | readonly string[],
  limit: PartLimit,
): string | readonly string[] {
  if (typeof value === "string") return cutText(value, limit);
  const members = value.slice(0, limit.membersMax ?? value.length);
  return members.map((member) => cutText(member, limit));
}

/** Shown where text was cut off. */
const cutMark = "…";
/** The beginning of a placeholder whose end was cut off. */
const halfPlaceholder = (): RegExp => /__SECRET_[a-z0-9_]{0,64}$/u;

function cutText(text: string, { unit, max }: PartLimit): string {
  if (sizeOf(text, unit) <= max) return text;
  const room = max - sizeOf(cutMark, unit);
  const head = unit === "characters" ? text.slice(0, room) : sliceBytes(text, room);
  const whole = head.replace(/[\uD800-\uDBFF]$/u, "");
  return whole.replace(halfPlaceholder(), "") + cutMark;
}

/** The longest beginning of a text that takes at most so many UTF-8 bytes. */
function sliceBytes(text: string, bytesMax: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += bytesOfCodePoint(character.codePointAt(0) ?? 0);
    if (bytes > bytesMax) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function sizeOf(text: string, unit: PartLimit["unit"]): number {
  if (unit === "characters") return text.length;
  let bytes = 0;
  for (const character of text) bytes += bytesOfCodePoint(character.codePointAt(0) ?? 0);
  return bytes;
}

function bytesOfCodePoint(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
