import { isCredibleTime, isEncryptedId, type NamespaceId } from "@tidemark/protocol";
import { heldWhy } from "../../../recall/held.ts";
import { safeLines, safeText } from "../../../platform/terminal.ts";
import type { Observation } from "../../../store/observation.ts";
import type { Io } from "../io.ts";
import { heldText } from "./held.ts";
import { ageOf, styleOf, wallTimeText } from "./text.ts";

/** What a person knows by name: the namespaces of this device, and who they are. */
export interface Names {
  readonly namespace: (id: NamespaceId) => string;
  /** The person's own name; undefined while the device is not paired. */
  readonly self: string | undefined;
}

/** Characters of an id that lists show; enough for `show` to find it. */
const shortIdChars = 10;
/** Characters of an author's or a namespace's name in a list. */
const sourceCharsMax = 24;

/** An observation always has a title; where none is there, its key is not (EE28). */
function shownTitle({ namespace, title }: Observation): string {
  return title === "" && isEncryptedId(namespace) ? "(its title is sealed)" : title;
}

/** What the lines of a list need beside the observations. */
export interface ListFrame {
  readonly nowMs: number;
  readonly names: Names;
  /** Ids of those that a search found by meaning alone. */
  readonly near?: readonly string[] | undefined;
}

/** Observations, one line each. */
export function observationLines(
  items: readonly Observation[],
  io: Pick<Io, "hasColour" | "width" | "isOutTty">,
  { nowMs, names, near }: ListFrame,
): readonly string[] {
  const style = styleOf(io);
  const hasSeveral = new Set(items.map(({ namespace }) => namespace)).size > 1;
  return items.map((item) => {
    const id = item.id.slice(0, shortIdChars);
    const kind = safeText(item.kind, 10).padEnd(10);
    const isBelieved = isCredibleTime(item.createdAt, nowMs);
    const age = (isBelieved ? ageOf(nowMs, item.createdAt) : "?").padStart(4);
    const marks = marksOf(item, near) + sourceOf(item, names, hasSeveral);
    const titleMax = io.isOutTty ? Math.max(20, io.width - 30 - marks.length) : 200;
    return `${style.dim(id)}  ${kind} ${style.dim(age)}  ${safeText(shownTitle(item), titleMax)}${marks}`;
  });
}

function sourceOf({ author, namespace }: Observation, names: Names, hasSeveral: boolean): string {
  const isOther = author.user !== null && author.user !== names.self;
  const parts = [
    isOther ? `by ${safeText(author.user, sourceCharsMax)}` : "",
    hasSeveral ? `in ${safeText(names.namespace(namespace), sourceCharsMax)}` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `  (${parts.join(", ")})`;
}

function marksOf(
  { id, pinned, archived, supersededBy, trust }: Observation,
  near: readonly string[] = [],
): string {
  const marks = [
    near.includes(id) ? "by meaning" : "",
    trust === 0 ? "quarantined" : "",
    pinned ? "pinned" : "",
    archived ? "archived" : "",
    supersededBy === null ? "" : "superseded",
  ].filter((mark) => mark !== "");
  return marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
}

/** One observation whole. */
export function observationText(
  item: Observation,
  io: Pick<Io, "hasColour">,
  { nowMs, names }: { readonly nowMs: number; readonly names: Names },
): string {
  const style = styleOf(io);
  const rows: readonly (readonly [string, string | null])[] = [
    ["id", item.id],
    ["kind", item.kind],
    ["namespace", names.namespace(item.namespace)],
    ["project", item.project],
    ["author", authorText(item)],
    [
      "edited by",
      item.editedBy && `${item.editedBy.user ?? "unknown"} / ${item.editedBy.device ?? "unknown"}`,
    ],
    ["origin", `${item.origin}, trust ${item.trust}`],
    ["held back", heldRow(item)],
    ["agent", item.agent],
    ["session", item.session],
    ["created", wallTimeText(item.createdAt, nowMs)],
    ["superseded", item.supersededBy === null ? null : `by ${item.supersededBy}`],
    ["concepts", item.concepts.length === 0 ? null : item.concepts.join(", ")],
    ["files read", item.filesRead.length === 0 ? null : item.filesRead.join(", ")],
    ["modified", item.filesModified.length === 0 ? null : item.filesModified.join(", ")],
  ];
  const head = rows.flatMap(([name, value]) =>
    value === null ? [] : [`${style.dim(name.padEnd(11))}${safeText(value)}`],
  );
  const facts = item.facts.map((fact) => `- ${safeText(fact)}`);
  return [
    `${style.bold(safeText(shownTitle(item)))}${marksOf(item)}`,
    ...head,
    ...(item.narrative === "" ? [] : ["", safeLines(item.narrative)]),
    ...(facts.length === 0 ? [] : ["", ...facts]),
  ].join("\n");
}

/** What keeps agents from being given it (RC19), and the way out. */
function heldRow(item: Observation): string | null {
  const signals = heldWhy({ observation: item, factsOnly: false, charsMax: Infinity });
  return signals === undefined
    ? null
    : `from agents, until tidemark pin ${item.id.slice(0, 10)}: ${heldText(signals)}`;
}

/** Trust that only this device's own records have; before pairing it has no name. */
const ownTrust = 4;

function authorText({ author, trust }: Observation): string {
  if (author.device === null && trust === ownTrust) return "this device";
  return `${author.user ?? "unknown"} / ${author.device ?? "unknown"}`;
}
