import { dateText } from "../../../platform/date-text.ts";
import type { Whereabouts } from "../../../store/reads/whereabouts.ts";

const dayMs = 86_400_000;

/** What part of memory is looked at; an empty text narrows nothing. */
export interface MapScope {
  readonly project: string;
  /** A folder or a file of the project. */
  readonly path: string;
  /** A year, month or day, as times begin: `2026`, `2026-11`, `2026-11-23`. */
  readonly period: string;
  readonly kind: string;
  /** Files and folders that are passed over, the fullest ones first. */
  readonly skip: number;
}

/** All of memory. */
export const everywhere: MapScope = { project: "", path: "", period: "", kind: "", skip: 0 };

/** One observation with the files of it that lie in the scope. */
export interface Placed extends Omit<Whereabouts, "files"> {
  /** Below the scope's path; "" is the path itself. */
  readonly paths: readonly string[];
}

/** Days of wall times, as `2026-11-23`; each is written once, however many times fall on it. */
export function createDays(): (atMs: number) => string {
  const texts = new Map<number, string>();
  return (atMs) => {
    const day = Math.floor(atMs / dayMs);
    const known = texts.get(day);
    if (known !== undefined) return known;
    const text = dateText(day * dayMs).slice(0, 10);
    texts.set(day, text);
    return text;
  };
}

/** What of all observations lies in a scope. */
export function inScope(all: readonly Whereabouts[], scope: MapScope): readonly Placed[] {
  const { project, path, period, kind } = scope;
  const dayOf = createDays();
  const wanted = all.filter(
    (one) =>
      (kind === "" || one.kind === kind) &&
      (project === "" || (one.project ?? noProject) === project) &&
      (period === "" || dayOf(one.createdAt).startsWith(period)),
  );
  if (path === "") return wanted.map((one) => placedAt(one, one.files));
  return wanted
    .map((one) => placedAt(one, pathsBelow(one.files, path)))
    .filter(({ paths }) => paths.length > 0);
}

// Written out: of tens of thousands, a spread takes as long as all else.
function placedAt(
  { id, namespace, kind, project, session, createdAt }: Whereabouts,
  paths: readonly string[],
): Placed {
  return { id, namespace, kind, project, session, createdAt, paths };
}

/** What a project is called that has no name. */
export const noProject = "-";

function pathsBelow(files: readonly string[], path: string): readonly string[] {
  return files
    .filter((file) => file === path || file.startsWith(`${path}/`))
    .map((file) => file.slice(path.length + 1));
}

/** The one project that all are of; undefined where there are several. */
export function onlyProject(all: readonly Whereabouts[]): string | undefined {
  const first = all[0]?.project ?? noProject;
  return all.every(({ project }) => (project ?? noProject) === first) ? first : undefined;
}
