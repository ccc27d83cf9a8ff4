import { projectName } from "../words.ts";
import { createDays, noProject, type MapScope, type Placed } from "./scope.ts";

/** Names that no observation carries. */
export interface MapNames {
  readonly session: (id: string) => string;
  readonly title: (one: Placed) => string;
  /** The page of a narrower scope. */
  readonly to: (scope: Partial<MapScope>) => string;
}

/** How observations are put together in one column. */
export interface Grouping {
  readonly title: string;
  readonly keysOf: (one: Placed) => readonly string[];
  readonly label: (key: string) => string;
  readonly href: (key: string) => string | undefined;
  /** Groups that are drawn. */
  readonly max: number;
  /** The fullest come first where it is not given. */
  readonly order?: (left: string, right: string) => number;
}

/** Up to here each session and each observation is drawn by itself. */
const singlesMax = 14;
const periodsMax = 31;
const placesMax = 14;
const noSession = "";
const noFile = "\u0000none";

/** Sessions by themselves where they are few, else days, months or years. */
export function sessionGrouping(placed: readonly Placed[], names: MapNames): Grouping {
  const starts = new Map<string, number>();
  for (const { session, createdAt } of placed) {
    const key = session ?? noSession;
    starts.set(key, Math.min(starts.get(key) ?? Infinity, createdAt));
  }
  const bySession = {
    title: "Sessions",
    keysOf: ({ session }: Placed) => [session ?? noSession],
    label: (key: string) => (key === noSession ? "outside a session" : names.session(key)),
    href: (key: string) => (key === noSession ? undefined : `/sessions/${encodeURIComponent(key)}`),
    max: singlesMax,
  };
  if (starts.size <= singlesMax) {
    const startOf = (key: string): number => starts.get(key) ?? 0;
    return { ...bySession, order: (left, right) => startOf(left) - startOf(right) };
  }
  const dayOf = createDays();
  const days = [...new Set(placed.map(({ createdAt }) => dayOf(createdAt)))];
  const digits = periodDigits(days);
  if (digits === undefined) return bySession;
  return {
    title: "By time",
    keysOf: ({ createdAt }) => [dayOf(createdAt).slice(0, digits)],
    label: (key) => key,
    href: (key) => names.to({ period: key }),
    max: periodsMax,
    order: (left, right) => (left < right ? -1 : 1),
  };
}

/** Whether days, months or years make a column; undefined where all is of one day. */
function periodDigits(days: readonly string[]): 10 | 7 | 4 | undefined {
  if (days.length < 2) return undefined;
  const months = new Set(days.map((day) => day.slice(0, 7))).size;
  if (months === 1 || days.length <= singlesMax) return 10;
  return months <= periodsMax ? 7 : 4;
}

/** Observations by themselves where they are few, else by kind. */
export function observationGrouping(placed: readonly Placed[], names: MapNames): Grouping {
  if (placed.length > singlesMax) {
    return {
      title: "By kind",
      keysOf: ({ kind }) => [kind],
      label: (key) => key,
      href: (key) => names.to({ kind: key }),
      max: singlesMax,
    };
  }
  const byId = new Map(placed.map((one) => [one.id as string, one]));
  const timeOf = (key: string): number => byId.get(key)?.createdAt ?? 0;
  return {
    title: "Observations",
    keysOf: ({ id }) => [id],
    label: (key) => {
      const one = byId.get(key);
      return one === undefined ? key : names.title(one);
    },
    href: (key) => `/memory/${key}`,
    max: singlesMax,
    order: (left, right) => timeOf(left) - timeOf(right),
  };
}

/** Projects; in one of them the folders and files below the path that is looked at. */
export function placeGrouping(
  scope: MapScope,
  placed: readonly Placed[],
  names: MapNames,
): Grouping {
  if (scope.project === "") {
    return {
      title: "Projects",
      keysOf: ({ project }) => [project ?? noProject],
      label: (key) => (key === noProject ? "no project" : projectName(key)),
      href: (key) => names.to({ project: key }),
      max: placesMax,
    };
  }
  const start = sharedFolder(placed).length;
  const keyOf = (path: string): string => {
    const end = path.indexOf("/", start);
    return end === -1 ? path : path.slice(0, end + 1);
  };
  return {
    title: "Files",
    keysOf: ({ paths }) => {
      if (paths.length === 0) return [noFile];
      return paths.length === 1 ? [keyOf(paths[0] ?? "")] : [...new Set(paths.map(keyOf))];
    },
    label: (key) => placeLabel(key, scope.path),
    href: (key) => {
      if (key === noFile || key === "") return undefined;
      const path = scope.path === "" ? key : `${scope.path}/${key}`;
      return names.to({ path: path.endsWith("/") ? path.slice(0, -1) : path });
    },
    max: placesMax,
  };
}

function placeLabel(key: string, path: string): string {
  if (key === noFile) return "no file";
  return key === "" ? path.slice(path.lastIndexOf("/") + 1) : key;
}

/** The folder that all paths begin with: a tree of one branch is not walked step by step. */
function sharedFolder(placed: readonly Placed[]): string {
  let shared: string | undefined;
  for (const { paths } of placed) {
    for (const path of paths) {
      shared ??= path;
      while (shared !== "" && !(path.startsWith(shared) && shared.endsWith("/"))) {
        shared = shared.slice(0, shared.lastIndexOf("/", shared.length - 2) + 1);
      }
      if (shared === "") return "";
    }
  }
  return shared ?? "";
}
