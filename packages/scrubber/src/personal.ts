import { bitsAt, charClasses, isAt } from "./chars.ts";
import { startsToken } from "./escapes.ts";
import type { IdRule, PersonalKind, PlaceRule, PlaceSpan } from "./personal-rule.ts";
import { idRules } from "./rules/personal-ids.ts";
import { placeRules } from "./rules/personal-places.ts";
import { type Scan, spend } from "./scan.ts";
import { hasShape } from "./shape.ts";
import { columnOf } from "./table.ts";

/** The personal data that a scrubber takes out. */
export interface PersonalRules {
  /** Rules by how many letters and digits a number has. */
  readonly idsByLength: ReadonlyMap<number, readonly IdRule[]>;
  readonly placesByChar: ReadonlyMap<string, readonly PlaceRule[]>;
}

const idCharsMin = 7;
const idCharsMax = 34;
const groupsMax = 12;
const labelCharsMax = 40;

/**
 * Chooses rules: `true` for every kind that a checksum or its context makes sure of, or kinds by
 * name. Gives nothing where none is wanted, so that a scan can do without.
 */
export function choosePersonal(
  wanted: boolean | readonly PersonalKind[],
): PersonalRules | undefined {
  if (wanted === false || (wanted !== true && wanted.length === 0)) return undefined;
  const isWanted = ({ kind }: IdRule | PlaceRule): boolean =>
    wanted === true || wanted.includes(kind);
  const ids = idRules().filter(isWanted);
  const places = placeRules().filter((rule) => isWanted(rule) && !(wanted === true && rule.asked));
  if (ids.length + places.length === 0) return undefined;
  const lengths = Array.from({ length: idCharsMax + 1 }, (_, length) => length);
  const chars = new Set(places.flatMap(({ at }) => Array.from(at)));
  return {
    idsByLength: new Map(lengths.map((length) => [length, ids.filter(mayBe(length))])),
    placesByChar: new Map(
      [...chars].map((char) => [char, places.filter(({ at }) => at.includes(char))]),
    ),
  };
}

function mayBe(length: number): (rule: IdRule) => boolean {
  const sum = (shape: IdRule["shapes"][number], side: "min" | "max"): number =>
    shape.reduce((total, part) => total + (typeof part === "string" ? part.length : part[side]), 0);
  return ({ shapes }) =>
    shapes.some((shape) => sum(shape, "min") <= length && length <= sum(shape, "max"));
}

/** Finds personal data in a text that stood under `name`, and notes it in the scan. */
export function runPersonal(scan: Scan, rules: PersonalRules, name: string | undefined): void {
  const { text } = scan;
  spend(scan, text.length);
  for (let at = 0; at < text.length; at++) {
    const places = rules.placesByChar.get(text[at] as string);
    const span = places && findPlace(scan, { places, at, name });
    const isStart = isAt(text, at, charClasses.alnum) && startsToken(text, at);
    const end = span?.end ?? (isStart ? findId(scan, rules, { at, name }) : undefined);
    if (end !== undefined) at = Math.max(at, end - 1);
  }
}

function findPlace(
  scan: Scan,
  look: { places: readonly PlaceRule[]; at: number; name: string | undefined },
): PlaceSpan | undefined {
  for (const rule of look.places) {
    spend(scan, 2);
    const span = rule.find(scan.text, look.at);
    if (span === undefined) continue;
    spend(scan, span.end - span.start);
    const isLabelled = rule.labels === undefined || span.isSure === true;
    const labels =
      span.labels === undefined ? rule.labels : [...(rule.labels ?? []), ...span.labels];
    if (!isLabelled && !hasLabel(scan, labels ?? [], { at: span.start, name: look.name })) continue;
    const value = scan.text.slice(span.start, span.end);
    note(scan, rule.kind, {
      ...span,
      canonical: rule.kind === "phone" ? value.replaceAll(/[^\d+]/g, "") : value,
    });
    return span;
  }
  return undefined;
}

interface Place {
  readonly at: number;
  readonly name: string | undefined;
}

/** Looks at the words from here on as one number in groups; the longest that is one counts. */
function findId(scan: Scan, rules: PersonalRules, place: Place): number | undefined {
  const { text } = scan;
  if (/\d[-./]$/.test(text.slice(Math.max(0, place.at - 2), place.at))) return undefined;
  const ends = groupEnds(scan, place.at);
  for (let index = ends.length - 1; index >= 0; index--) {
    const end = ends[index] as number;
    const written = text.slice(place.at, end);
    const id = written.replaceAll(/[^A-Za-z0-9]/g, "");
    if (id.length < idCharsMin || id.length > idCharsMax) continue;
    const rule = rules.idsByLength
      .get(id.length)
      ?.find((each) => isId(each, id) && isPlain(scan, each, { ...place, written }));
    if (rule === undefined) continue;
    note(scan, rule.kind, { start: place.at, end, canonical: id, valid: rule.valid && true });
    return end;
  }
  return undefined;
}

function isId({ shapes, valid }: IdRule, id: string): boolean {
  return shapes.some((shape) => hasShape(id, shape)) && (valid?.(id) ?? true);
}

/** Whether where and how the number is written leaves no doubt. */
function isPlain(scan: Scan, rule: IdRule, place: Place & { readonly written: string }): boolean {
  if (rule.others !== undefined && isOther(scan, rule.others, place)) return false;
  const groups = place.written.replaceAll(/[A-Za-z0-9]+/g, (group) => String(group.length));
  const marks = new Set(groups.replaceAll(/\d/g, ""));
  if (marks.size > 0 && isInList(scan, place)) return false;
  if (rule.groups?.some((each) => each === groups || isFours(each, groups)) === true) return true;
  if (rule.labels === undefined) return marks.size === 0;
  return marks.size < 2 && hasLabel(scan, rule.labels, place);
}

/** Whether the word right before the number says that it is another's. */
function isOther(scan: Scan, others: RegExp, { at, name }: Place): boolean {
  spend(scan, 24);
  const before = scan.text.slice(Math.max(0, at - 24), at);
  return others.test(before) || (name !== undefined && others.test(name));
}

/** Groups of four and a rest, as accounts are written: `4*` stands for any number of them. */
function isFours(each: string, groups: string): boolean {
  return each === "4*" && /^4(?: 4)+(?: [1-4])?$/.test(groups);
}

/** Numbers before or after are parted by the same marks: these are coordinates or a table. */
function isInList(scan: Scan, { at, written }: { at: number; written: string }): boolean {
  const { text } = scan;
  const end = at + written.length;
  const before = text.slice(Math.max(0, at - 6), at);
  const after = text.slice(end, end + 3);
  if (/\d[ ;.-]{1,2}$|\d, $/.test(before) && !/&#\d{2,3};$/.test(before)) return true;
  if (/^(?:[ ;.-]{1,2}|, )\d/.test(after)) return true;
  return (/\d,$/.test(before) || /^,\d/.test(after)) && columnOf(scan, at) === undefined;
}

/** Ends of the groups that follow one another from here, parted by one mark each. */
function groupEnds(scan: Scan, start: number): readonly number[] {
  const { text } = scan;
  const ends: number[] = [];
  let at = start;
  while (ends.length < groupsMax && at - start <= idCharsMax + groupsMax) {
    let end = at;
    while (end - at <= idCharsMax && isAt(text, end, charClasses.alnum)) end++;
    if (end === at || end - at > idCharsMax) break;
    // A group of letters alone is of a number only if it is short.
    if (end - at > 4 && !/\d/.test(text.slice(at, end))) break;
    ends.push(end);
    if (!" -./".includes(text[end] ?? "x")) break;
    at = end + 1;
  }
  spend(scan, at - start + 1);
  return ends;
}

/** Whether one of the labels stands in the text shortly before, or in the name of the leaf. */
function hasLabel(scan: Scan, labels: readonly string[], { at, name }: Place): boolean {
  const window = scan.text.slice(Math.max(0, at - labelCharsMax), at);
  // A label of another value is none of this one.
  const before = window.slice(window.search(/(?:[,;{}]|\d{4})[^,;{}]*$/) + 1);
  spend(scan, window.length);
  return isLabel(`${name ?? ""} ${before}`, labels) || isLabel(columnOf(scan, at) ?? "", labels);
}

/** Whether words hold one of the labels; what is a placeholder says nothing of what follows it. */
function isLabel(text: string, labels: readonly string[]): boolean {
  if (text === "") return false;
  const words = `${text} `
    .replaceAll(/__SECRET_\w{1,80}?__/g, " ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, " ");
  const joined = words.replaceAll(" ", "");
  return labels.some((label) =>
    label.length >= 5 || /[^a-z ]/.test(label)
      ? joined.includes(label.replaceAll(" ", ""))
      : ` ${words}`.includes(` ${label} `),
  );
}

function note(
  scan: Scan,
  kind: PersonalKind,
  found: { start: number; end: number; canonical: string; valid?: boolean | undefined },
): void {
  scan.candidates.push({
    start: found.start,
    end: found.end,
    canonical: found.canonical,
    valid: found.valid,
    kind,
    ruleId: `personal:${kind}`,
    rank: 500,
    label: kind,
    isGuessable: true,
    confidence: found.valid === true ? "high" : "medium",
    layer: "plain",
    quote: quoteOfNumber(scan.text, found),
  });
}

/** The quote that a bare number of JSON needs when it becomes a string: that of its key. */
function quoteOfNumber(
  text: string,
  { start, end }: { start: number; end: number },
): string | undefined {
  if (!/^\s*(?:[,}\]]|\\[nr]|$)/.test(text.slice(end, end + 4))) return undefined;
  if ((bitsAt(text, start) & charClasses.digit) === 0) return undefined;
  return /(\\*")\s*:\s*$/.exec(text.slice(Math.max(0, start - 12), start))?.[1];
}
