import type { Command, OptionSpec } from "../command.ts";
import type { Row } from "../row.ts";

/** One option, taken apart. */
export interface CatalogOption {
  /** Without its dash. */
  readonly short: string | undefined;
  /** Without its dashes. */
  readonly long: string;
  /** What its value is called; undefined where it takes none. */
  readonly value: string | undefined;
  readonly help: string;
}

/** One verb with all that its `--help` says. */
export interface CatalogEntry {
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly arguments: NonNullable<Command["arguments"]>;
  readonly options: readonly CatalogOption[];
  readonly notes: string | undefined;
}

const json: OptionSpec = { flags: "--json", help: "print one JSON document" };
const help: OptionSpec = { flags: "-h, --help", help: "display help for command" };

/** All verbs in the order of the table; loads each of them. */
export async function readCatalog(rows: readonly Row[]): Promise<readonly CatalogEntry[]> {
  return await Promise.all(rows.map(entryOf));
}

async function entryOf({ path, group, summary, load }: Row): Promise<CatalogEntry> {
  const command = await load();
  const shown = (command.options ?? []).filter(({ isHidden }) => isHidden !== true);
  return {
    path,
    group,
    summary,
    arguments: command.arguments ?? [],
    options: [...shown, json, help].map(optionOf),
    notes: command.notes,
  };
}

function optionOf({ flags, help: about }: OptionSpec): CatalogOption {
  const parts = /^(?:-(?<short>\w), )?--(?<long>[\w-]+)(?: [<[](?<value>[^>\]]+)[>\]])?$/u.exec(
    flags,
  )?.groups;
  if (parts === undefined) throw new TypeError(`flags that nothing can complete: ${flags}`);
  return { short: parts["short"], long: parts["long"] ?? "", value: parts["value"], help: about };
}

/** Whether a value or an argument of this name is a path. */
export function isPath(name: string): boolean {
  return /file|path|folder/u.test(name);
}

/** The words that may come next at one place of the command line. */
export interface Place {
  /** Words before the cursor: none, one, or two. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  readonly options: readonly CatalogOption[];
  readonly takesPath: boolean;
}

/** Every place at which a shell can be asked, the empty one first. */
export function placesOf(
  entries: readonly CatalogEntry[],
  groups: Readonly<Record<string, string>>,
): readonly Place[] {
  const heads = new Map<string, string>();
  for (const { path, summary } of entries) {
    const [first = "", second] = path.split(" ");
    const about = second === undefined ? summary : groups[first];
    if (about !== undefined) heads.set(first, about);
  }
  const top = [...heads].map(([word, summary]) => ({ word, summary }));
  const root = { path: "", words: top, options: [json, help].map(optionOf), takesPath: false };
  const paths = new Set([...heads.keys(), ...entries.map(({ path }) => path)]);
  return [root, ...[...paths].map((path) => placeOf(entries, path))];
}

function placeOf(entries: readonly CatalogEntry[], path: string): Place {
  const own = entries.find((entry) => entry.path === path);
  const below = entries.filter((entry) => entry.path.startsWith(`${path} `));
  return {
    path,
    words: below.map((entry) => ({
      word: entry.path.slice(path.length + 1),
      summary: entry.summary,
    })),
    options: own?.options ?? [json, help].map(optionOf),
    takesPath: own?.arguments.some(({ syntax }) => isPath(syntax)) ?? false,
  };
}
