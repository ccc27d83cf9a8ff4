import { parse, YAMLError } from "yaml";
import { isFields, textOf, type Fields } from "../json.ts";
import { isoToMs } from "../payload/timestamp.ts";
import {
  firstLine,
  nothingYet,
  type Brought,
  type BroughtProject,
  type BroughtRow,
} from "./brought.ts";

/** A Markdown file of another memory, scrubbed whole before it is taken apart. */
export interface Note {
  readonly text: string;
  /** Its place within the folder that is imported. */
  readonly path: string;
  /** The memory it is of, for people. */
  readonly source: string;
  readonly atMs?: number;
  readonly project?: BroughtProject;
}

/** A note's front: YAML between two lines of dashes. One that is no YAML is text like the rest. */
const front = /^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/u;
/** basic-memory's observation: `- [category] text`; a task's box is none. */
const observationLine = /^\s*[-*] \[(?![ xX-]\])([^\][()]+)\](?!\() +(\S.*)$/u;
/** basic-memory's relation: `- relates_to [[Note]]`. */
const relationLine = /^\s*[-*] ([^[\]]*?)\s*\[\[([^\]]+)\]\](.*)$/u;
/** Sections of basic-memory that hold nothing else. */
const listHeading = /^##\s+(?:Observations|Relations)\s*$/iu;
/** Where Claude Code lists its notes. */
const indexName = /(?:^|\/)MEMORY\.md$/u;

/**
 * Reads a Markdown note: of basic-memory, of Claude Code's own memory, or any other. Its front says
 * title and tags; `- [category] text` and `- relates_to [[Note]]` are facts; the rest is told as it is.
 */
export function parseNote(note: Note): BroughtRow {
  const { text, path, source } = note;
  const from = `${source} ${path}`;
  const { fields, body } = frontOf(text.replaceAll("\r\n", "\n"));
  const lines = linesOf(body);
  const name = path.replace(/^.*\//u, "").replace(/\.(?:md|markdown)$/iu, "");
  const headed = /^#\s+(\S.*)$/mu.exec(body)?.[1]?.trim();
  const title = textOf(fields, "title", "description", "name") ?? headed ?? name;
  const narrative = lines.rest.replace(new RegExp(`^#\\s+${escaped(title)}\\s*$`, "mu"), "").trim();
  if (narrative === "" && lines.facts.length === 0)
    return { ok: false, from, reason: "it is empty" };
  if (indexName.test(path) && isIndex(body)) {
    return { ok: false, from, reason: "it lists other notes, which are taken one by one" };
  }
  return {
    ok: true,
    value: {
      ...nothingYet,
      from,
      key: "",
      kind: kindOf(fields),
      title: firstLine(title),
      narrative,
      facts: lines.facts,
      concepts: tagsOf(fields, lines.facts),
      ...placeOf(note, fields),
    },
  };
}

function placeOf({ atMs, project }: Note, fields: Fields): Pick<Brought, "atMs" | "project"> {
  const told = textOf(fields, "created", "created_at", "date") ?? "";
  const time = isoToMs(/^\d{4}-\d\d-\d\d$/u.test(told) ? `${told}T00:00:00Z` : told) ?? atMs;
  return {
    ...(time === undefined ? {} : { atMs: time }),
    ...(project === undefined ? {} : { project }),
  };
}

function frontOf(text: string): { readonly fields: Fields; readonly body: string } {
  const found = front.exec(text);
  if (found === null) return { fields: {}, body: text };
  try {
    // Dates stay text, and an alias that grows without end is refused.
    const fields: unknown = parse(found[1] ?? "", { maxAliasCount: 10, schema: "core" });
    if (isFields(fields)) return { fields, body: text.slice(found[0].length) };
  } catch (cause) {
    if (!(cause instanceof YAMLError) && !(cause instanceof ReferenceError)) throw cause;
  }
  return { fields: {}, body: text };
}

/** What stands in lists of facts, and everything else; inside a code block nothing is a fact. */
function linesOf(body: string): { readonly facts: readonly string[]; readonly rest: string } {
  const facts: string[] = [];
  const rest: string[] = [];
  let isCode = false;
  for (const line of body.split("\n")) {
    if (/^\s*(?:```|~~~)/u.test(line)) isCode = !isCode;
    const fact = isCode ? undefined : factIn(line);
    if (fact !== undefined) facts.push(fact);
    else if (isCode || !listHeading.test(line)) rest.push(line);
  }
  return { facts, rest: rest.join("\n").replaceAll(/\n{3,}/gu, "\n\n") };
}

function factIn(line: string): string | undefined {
  const observation = observationLine.exec(line);
  if (observation !== null) return `${observation[1] ?? ""}: ${observation[2] ?? ""}`;
  const relation = relationLine.exec(line);
  if (relation === null) return undefined;
  const [, how = "", to = "", more = ""] = relation;
  // A link within a sentence is prose.
  if (how.split(/\s+/u).length > 3 || (more.trim() !== "" && !/^\s*\(/u.test(more)))
    return undefined;
  return `${how === "" ? "relates to" : how} ${to}${more}`.trim();
}

function tagsOf(fields: Fields, facts: readonly string[]): readonly string[] {
  const { tags } = fields;
  const told: readonly unknown[] = Array.isArray(tags)
    ? (tags as readonly unknown[])
    : typeof tags === "string"
      ? tags.split(",")
      : [];
  const listed = told.filter((tag): tag is string => typeof tag === "string");
  const said = facts.flatMap((fact) =>
    [...fact.matchAll(/(?:^|\s)#([\p{L}\p{N}_-]+)/gu)].map(([, tag = ""]) => tag),
  );
  return [...new Set([...listed, ...said].map((tag) => tag.trim().replace(/^#/u, "")))].filter(
    (tag) => tag !== "",
  );
}

function kindOf(fields: Fields): Brought["kind"] {
  const told = textOf(fields, "type")?.toLowerCase();
  return told === "decision" ? "decision" : "note";
}

/** An index has one link a line and little else. */
function isIndex(body: string): boolean {
  const said = body.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return said.length > 0 && said.every((line) => /^\s*[-*] .*\]\([^)]+\.md\)/u.test(line));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`);
}
