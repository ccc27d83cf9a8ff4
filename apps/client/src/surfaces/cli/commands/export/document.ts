import { collections } from "@tidemark/protocol";
import { dateText } from "../../../../platform/date-text.ts";
import type { Observation } from "../../../../store/observation.ts";
import { markdownLines, markdownText } from "../../render/markdown.ts";
import { counted } from "../../render/text.ts";

/** One file of an export for people. */
export interface Document {
  readonly name: string;
  readonly project: string | null;
  readonly observations: number;
  /** The text in pieces, the first with the heading and one for each observation. */
  readonly pieces: Iterable<string>;
}

const nameCharsMax = 80;

/** Observations as Markdown files, one for each project, each with its newest day first (IM10). */
export function documentsOf(items: readonly Observation[]): readonly Document[] {
  const byProject = new Map<string | null, Observation[]>();
  for (const item of items) {
    const list = byProject.get(item.project) ?? [];
    list.push(item);
    byProject.set(item.project, list);
  }
  const taken = new Set<string>(["index"]);
  return [...byProject].map(([project, list]) => ({
    name: `${freeName(project, taken)}.md`,
    project,
    observations: list.length,
    pieces: documentPieces(project, list),
  }));
}

/** What leads to the files. */
export function indexText(documents: readonly Document[]): string {
  const rows = documents.map(
    ({ name, project, observations }) =>
      `- [${markdownText(project ?? "without a project")}](${name}): ${counted(observations, collections.observation)}`,
  );
  return `# Memory\n\n${rows.join("\n")}\n`;
}

function* documentPieces(project: string | null, items: readonly Observation[]): Iterable<string> {
  yield `# ${markdownText(project ?? "Without a project")}\n`;
  let day = "";
  for (const item of items) {
    const own = dateText(item.createdAt).slice(0, 10);
    const parts = [...(own === day ? [] : [`## ${own}`]), ...observationParts(item)];
    day = own;
    yield parts
      .filter((part) => part !== "")
      .map((part) => `\n${part}\n`)
      .join("");
  }
}

function observationParts(item: Observation): readonly string[] {
  return [
    `### ${markdownText(item.title)}`,
    `*${aboutOf(item).join(" · ")}*`,
    markdownLines(item.narrative),
    listOf(item.facts),
    namedList("Concepts", item.concepts),
    namedList("Files changed", item.filesModified),
    namedList("Files read", item.filesRead),
  ];
}

function aboutOf(item: Observation): readonly string[] {
  const { author, kind, origin, agent, id, pinned, archived, supersededBy } = item;
  const by = author.user ?? author.device;
  return [
    markdownText(kind),
    ...(by === null ? [] : [`by ${markdownText(by)}`]),
    ...(agent === null ? [] : [`with ${markdownText(agent)}`]),
    `from ${origin}`,
    ...(pinned ? ["pinned"] : []),
    ...(archived ? ["archived"] : []),
    ...(supersededBy === null ? [] : [`superseded by ${supersededBy.slice(0, 10)}`]),
    id.slice(0, 10),
  ];
}

function listOf(texts: readonly string[]): string {
  return texts.map((text) => `- ${markdownText(text)}`).join("\n");
}

function namedList(name: string, texts: readonly string[]): string {
  return texts.length === 0 ? "" : `${name}: ${texts.map((text) => markdownText(text)).join(", ")}`;
}

/** A name that every system takes, and that no other file of the folder has in any case of letters. */
function freeName(project: string | null, taken: Set<string>): string {
  const plain = (project ?? "without-a-project")
    .replace(/^path:[^:]*:/u, "")
    .replace(/^(?:git|name):/u, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(-nameCharsMax);
  const base = plain === "" ? "project" : plain;
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}-${count}`;
  taken.add(name);
  return name;
}
