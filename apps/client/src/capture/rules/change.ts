import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine, unquoted } from "../payload/clip.ts";
import type { Edit } from "./edit.ts";
import { editsOf, isImportLine, isImportsOnly } from "./edit.ts";
import { declaredIn } from "./symbols.ts";

const snippetCharsMax = 160;
const snippetTitleCharsMax = 70;
const wordsCharsMax = 420;

/** Room that a list of names leaves for "and 12 more". */
const restCharsMax = 13;

/** Whether an event changed more of a file than white space or the names that it uses (CP11). */
export function isChange(event: AgentEvent): boolean {
  return !editsOf(event).every(isImportsOnly);
}

/** The title of a change: what was touched, by name where the edit shows one. */
export function changeTitle(event: AgentEvent, path: string): string {
  return describeChange(event, path, editsOf(event)).title;
}

/** The names that an edit adds or touches, without quote marks (CP27). */
export function changedNames(event: AgentEvent, path: string): readonly string[] {
  return describeChange(event, path, editsOf(event)).names.map(unquoted);
}

/** What an edit did, without the file's name and with all the names that there is room for. */
export function changeWords(event: AgentEvent, path: string): string {
  const { title, names } = describeChange(event, path, editsOf(event));
  const words = title
    .replace(` to ${path}`, "")
    .replace(` in ${path}`, "")
    .replace(` from ${path}`, "")
    .replace(` ${path}`, "");
  if (names.length < 2) return words;
  const verb = /^\w+/u.exec(words)?.[0] ?? "Changed";
  return oneLine(`${verb} ${names.join(", ")}`, wordsCharsMax);
}

/** What a single edit replaced, as far as a line each tells it. */
export function beforeAndAfterOf(event: AgentEvent): readonly string[] {
  return beforeAndAfter(event, editsOf(event));
}

interface Told {
  readonly title: string;
  readonly names: readonly string[];
}

function describeChange(event: AgentEvent, path: string, edits: readonly Edit[]): Told {
  if (event.tool?.name === "Write") return describeWrite(event, path, edits);
  const names = edits.map((edit) => namesIn(edit, path));
  const added = distinctNames(names.flatMap((of) => of.added));
  const removed = distinctNames(names.flatMap((of) => of.removed));
  const around = distinctNames(names.flatMap((of) => of.around));
  if (added.length === 1 && removed.length === 1) return describeReplaced(path, removed, added);
  if (added.length > 0) return told("Added", added, `to ${path}`);
  if (removed.length > 0) return told("Removed", removed, `from ${path}`);
  if (around.length > 0) return told("Changed", around, `in ${path}`);
  return { title: `Edited ${path}${snippet(edits)}`, names: [] };
}

function told(verb: string, names: readonly string[], place: string): Told {
  const room = draftLimits.titleCharsMax - verb.length - place.length - 2;
  return { title: `${verb} ${listed(names, room)} ${place}`, names };
}

function describeReplaced(
  path: string,
  removed: readonly string[],
  added: readonly string[],
): Told {
  const room = (draftLimits.titleCharsMax - path.length - 18) / 2;
  return {
    title: `Replaced ${listed(removed, room)} by ${listed(added, room)} in ${path}`,
    names: added,
  };
}

function describeWrite(event: AgentEvent, path: string, edits: readonly Edit[]): Told {
  const response = event.tool?.response?.slice(0, 80) ?? "";
  const names = distinctNames(
    edits.flatMap((edit) => declaredIn(edit.after, path).map(({ name }) => name)),
  );
  const verb = /\bcreated\b/iu.test(response) ? "Created" : "Wrote";
  const start = `${/\bupdated\b/iu.test(response) ? "Rewrote" : verb} ${path}`;
  const room = draftLimits.titleCharsMax - start.length - 2;
  return { title: names.length === 0 ? start : `${start}: ${listed(names, room)}`, names };
}

interface Names {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** What the difference lies in, or whose declaration it changes. */
  readonly around: readonly string[];
}

function namesIn(edit: Edit, path: string): Names {
  const namesOf = (lines: readonly string[]): readonly string[] =>
    declaredIn(lines, path).map(({ name }) => name);
  const [before, after] = [namesOf(edit.before), namesOf(edit.after)];
  const [old, fresh] = [new Set(namesOf(edit.oldLines)), new Set(namesOf(edit.newLines))];
  const touched = after.filter((name) => before.includes(name));
  const enclosing = namesOf(edit.above).at(-1);
  return {
    added: after.filter((name) => !old.has(name)),
    removed: before.filter((name) => !fresh.has(name)),
    around: touched.length > 0 || enclosing === undefined ? touched : [enclosing],
  };
}

/** Where nothing has a name, one line of the change tells more than the file's name alone. */
function snippet(edits: readonly Edit[]): string {
  const lines = edits
    .flatMap((edit) => edit.after.filter((text) => !edit.before.includes(text)))
    .map((text) => text.trim().replace(/,$/u, ""))
    .filter((text) => text.length > 5 && /\w{3}/u.test(text) && !isImportLine(text))
    .slice(0, 10);
  const spoken = lines.filter((text) => !text.startsWith("<"));
  const [line] = (spoken.length > 0 ? spoken : lines).toSorted(byInformation);
  return line === undefined ? "" : `: ${oneLine(line, snippetTitleCharsMax)}`;
}

/** The longest line that still fits says most. */
function byInformation(left: string, right: string): number {
  const worth = (text: string): number => (text.length > snippetTitleCharsMax ? 0 : text.length);
  return worth(right) - worth(left);
}

function beforeAndAfter(event: AgentEvent, edits: readonly Edit[]): readonly string[] {
  if (event.tool?.name === "Write") {
    return [`${edits[0]?.after.length ?? 0} lines`];
  }
  return edits
    .slice(0, 3)
    .flatMap((edit) => [...fact("Before", edit.before), ...fact("After", edit.after)]);
}

function fact(label: string, lines: readonly string[]): readonly string[] {
  const text = oneLine(lines.slice(0, 40).join("\n"), snippetCharsMax);
  return text === "" ? [] : [`${label}: ${text}`];
}

function distinctNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** As many names as there is room for, code before the titles of tests, and how many more. */
function listed(names: readonly string[], room: number): string {
  const code = names.filter((name) => !name.startsWith('"'));
  const ordered = code.length > 0 ? code : names;
  const shown: string[] = [];
  for (const name of ordered.slice(0, 3)) {
    const length = [...shown, name].join(", ").length;
    if (shown.length === 0 || length <= room - restCharsMax) shown.push(name);
  }
  const rest = names.length - shown.length;
  const suffix =
    rest > 0 ? ` and ${rest} ${shown.length === code.length ? plural(rest) : "more"}` : "";
  return `${oneLine(shown.join(", "), Math.max(16, room - suffix.length))}${suffix}`;
}

function plural(count: number): string {
  return count === 1 ? "test" : "tests";
}
