import { dateText } from "../../../platform/date-text.ts";
import { safeLines, safeText } from "../../../platform/terminal.ts";
import type { Observation } from "../../../store/observation.ts";
import type { Io } from "../io.ts";
import { ageOf, styleOf } from "./text.ts";

/** Characters of an id that lists show; enough for `show` to find it. */
const shortIdChars = 10;

/** Observations, one line each. */
export function observationLines(
  items: readonly Observation[],
  io: Pick<Io, "hasColour" | "width" | "isOutTty">,
  nowMs: number,
): readonly string[] {
  const style = styleOf(io);
  return items.map((item) => {
    const id = item.id.slice(0, shortIdChars);
    const kind = safeText(item.kind, 10).padEnd(10);
    const age = ageOf(nowMs, item.createdAt).padStart(4);
    const marks = marksOf(item);
    const titleMax = io.isOutTty ? Math.max(20, io.width - 30 - marks.length) : 200;
    return `${style.dim(id)}  ${kind} ${style.dim(age)}  ${safeText(item.title, titleMax)}${marks}`;
  });
}

function marksOf({ pinned, archived, supersededBy }: Observation): string {
  const marks = [
    pinned ? "pinned" : "",
    archived ? "archived" : "",
    supersededBy === null ? "" : "superseded",
  ].filter((mark) => mark !== "");
  return marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
}

/** One observation whole. */
export function observationText(item: Observation, io: Pick<Io, "hasColour">): string {
  const style = styleOf(io);
  const rows: readonly (readonly [string, string | null])[] = [
    ["id", item.id],
    ["kind", item.kind],
    ["namespace", item.namespace],
    ["project", item.project],
    ["author", authorText(item)],
    ["origin", `${item.origin}, trust ${item.trust}`],
    ["agent", item.agent],
    ["session", item.session],
    ["created", dateText(item.createdAt)],
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
    `${style.bold(safeText(item.title))}${marksOf(item)}`,
    ...head,
    ...(item.narrative === "" ? [] : ["", safeLines(item.narrative)]),
    ...(facts.length === 0 ? [] : ["", ...facts]),
  ].join("\n");
}

/** Trust that only this device's own records have; before pairing it has no name. */
const ownTrust = 4;

function authorText({ author, trust }: Observation): string {
  if (author.device === null && trust === ownTrust) return "this device";
  return `${author.user ?? "unknown"} / ${author.device ?? "unknown"}`;
}
