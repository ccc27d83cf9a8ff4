import { counted } from "../words.ts";
import {
  observationGrouping,
  placeGrouping,
  sessionGrouping,
  type Grouping,
  type MapNames,
} from "./groupings.ts";
import type { MapScope, Placed } from "./scope.ts";

const othersKey = "\u0000others";

/** One thing of the map: a session or a time, an observation or a kind, a file or a folder. */
export interface MapNode {
  readonly key: string;
  readonly label: string;
  readonly href: string | undefined;
  /** Observations that belong to it. */
  readonly count: number;
  /** Its share of them: one that belongs to several things counts in parts. */
  readonly weight: number;
}

/** How much two things of neighbouring columns share. */
export interface MapFlow {
  readonly from: string;
  readonly to: string;
  readonly weight: number;
  readonly count: number;
}

/** The three columns of the map and what runs between them. */
export interface MapLayers {
  readonly columns: readonly [MapColumn, MapColumn, MapColumn];
  readonly flows: readonly [readonly MapFlow[], readonly MapFlow[]];
}

/** One column. */
export interface MapColumn {
  readonly title: string;
  readonly nodes: readonly MapNode[];
}

/** Groups what is in a scope so that it fits one picture, however much it is. */
export function layersOf(placed: readonly Placed[], scope: MapScope, names: MapNames): MapLayers {
  const left = tally(placed, sessionGrouping(placed, names), 0);
  const middle = tally(placed, observationGrouping(placed, names), 0);
  const places = placeGrouping(scope, placed, names);
  const right = tally(placed, places, scope.skip);
  const isMore = right.others > scope.skip;
  const more = isMore ? names.to({ skip: scope.skip + places.max }) : undefined;
  return {
    columns: [columnOf(left), columnOf(middle), columnOf(right, more)],
    flows: [flowsOf(left, middle), flowsOf(middle, right)],
  };
}

/** A group that is drawn. */
interface Group {
  readonly key: string;
  count: number;
  weight: number;
}

interface Tally {
  readonly grouping: Grouping;
  readonly groups: readonly Group[];
  /** Groups that were put together, as there is no room for each. */
  readonly others: number;
  /** Places in `groups` of each observation, in the order of the observations. */
  readonly members: readonly (readonly number[])[];
}

function tally(placed: readonly Placed[], grouping: Grouping, skip: number): Tally {
  const counts = new Map<string, number>();
  const keysOfEach = placed.map((one) => grouping.keysOf(one));
  for (const keys of keysOfEach) {
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const sorted = sortedKeys(counts, grouping);
  const shown = sorted.slice(skip, skip + grouping.max);
  const others = sorted.length - shown.length;
  const keys = others === 0 ? shown : [...shown, othersKey];
  const groups = keys.map((key): Group => ({ key, count: 0, weight: 0 }));
  const places = new Map(keys.map((key, place) => [key, place]));
  const placeOf = (key: string): number => places.get(key) ?? shown.length;
  const singles = groups.map((_group, place) => [place]);
  const members = keysOfEach.map((own) => {
    if (own.length !== 1) return [...new Set(own.map(placeOf))];
    return singles[placeOf(own[0] ?? "")] ?? [];
  });
  for (const own of members) {
    for (const place of own) {
      const group = groups[place];
      if (group === undefined) continue;
      group.count += 1;
      group.weight += 1 / own.length;
    }
  }
  return { grouping, groups, others, members };
}

function sortedKeys(counts: ReadonlyMap<string, number>, { order }: Grouping): readonly string[] {
  const byCount = (left: string, right: string): number =>
    (counts.get(right) ?? 0) - (counts.get(left) ?? 0);
  return [...counts.keys()].toSorted(
    (left, right) => (order ?? byCount)(left, right) || (left < right ? -1 : 1),
  );
}

function columnOf({ grouping, groups, others }: Tally, more?: string): MapColumn {
  const nodes = groups.map(({ key, count, weight }): MapNode => {
    if (key === othersKey) return { key, label: `${others} others`, href: more, count, weight };
    return { key, label: grouping.label(key), href: grouping.href(key), count, weight };
  });
  return { title: grouping.title, nodes };
}

function flowsOf(left: Tally, right: Tally): readonly MapFlow[] {
  const width = right.groups.length;
  const flows = new Map<number, { weight: number; count: number }>();
  for (const [index, froms] of left.members.entries()) {
    const tos = right.members[index] ?? [];
    const weight = 1 / (froms.length * tos.length);
    for (const from of froms) {
      for (const to of tos) {
        const key = from * width + to;
        const flow = flows.get(key) ?? { weight: 0, count: 0 };
        flow.weight += weight;
        flow.count += 1;
        flows.set(key, flow);
      }
    }
  }
  return [...flows].map(([key, flow]) => ({
    from: left.groups[Math.floor(key / width)]?.key ?? "",
    to: right.groups[key % width]?.key ?? "",
    ...flow,
  }));
}

/** What a picture holds, in one sentence. */
export function summaryOf(placed: readonly Placed[]): string {
  const sessions = new Set<string>();
  const files = new Map<string | null, Set<string>>();
  for (const { session, project, paths } of placed) {
    if (session !== null) sessions.add(session);
    const own = files.get(project) ?? new Set();
    files.set(project, own);
    for (const path of paths) own.add(path);
  }
  const count = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  return [
    counted(placed.length, "observation"),
    counted(sessions.size, "session"),
    counted(count, "file"),
  ].join(", ");
}
