import type { Cost, Peer, ProcessorTime, Step } from "./peer.ts";

/** What one run of a peer has measured. */
export interface Run {
  readonly push: Step;
  readonly pull: Step;
}

/** All runs of a peer, or why there are none. */
export interface Result {
  readonly peer: Peer;
  readonly runs: readonly Run[];
  readonly failure: string | undefined;
}

/** How a run of the whole comparison was made. */
export interface Setting {
  readonly count: number;
  readonly bytesEach: number;
  readonly runs: number;
  readonly load: { readonly before: number; readonly after: number };
}

type Direction = "push" | "pull";
type Scope = "program" | "work";
type Unit = "wall" | "cpu" | keyof Omit<ProcessorTime, "total">;

const directions = ["push", "pull"] as const;
const scopes = {
  program: {
    title: "Whole client programs: start of Node and loading of modules included",
    baseline: "tidemark",
  },
  work: {
    title: "Work alone: modules are loaded, the database is opened, synced and closed",
    baseline: "tidemark-engine",
  },
} as const satisfies Record<Scope, { readonly title: string; readonly baseline: string }>;

/** Medians, ranges and ratios to Tidemark as two Markdown tables, then what to read beside them. */
export function tables(setting: Setting, results: readonly Result[]): string {
  const parts = (["program", "work"] as const).map((scope) => table(scope, results));
  const failures = results
    .filter(({ failure }) => failure !== undefined)
    .map(({ peer, failure }) => `${peer.title}: ${failure ?? ""}`);
  const notes = results.map(
    ({ peer }) => `${peer.title}\n${peer.notes.map((note) => `  - ${note}`).join("\n")}`,
  );
  return [heading(setting), ...parts, shares(results), ...failures, ...notes].join("\n\n");
}

/** The same as one object: every run, the medians and the ratios peer / Tidemark. */
export function asJson(setting: Setting, results: readonly Result[]): unknown {
  const peers = results.map(({ peer, runs, failure }) => ({
    name: peer.name,
    title: peer.title,
    notes: peer.notes,
    failure: failure ?? null,
    runs,
    ...Object.fromEntries(
      (["program", "work"] as const).map((scope) => [scope, summary(scope, results, runs)]),
    ),
  }));
  return { ...setting, node: process.version, platform: process.platform, peers };
}

function summary(scope: Scope, results: readonly Result[], runs: readonly Run[]) {
  const base = baselineOf(scope, results);
  const cells = directions.flatMap((direction) =>
    (["wall", "cpu"] as const).map((unit) => {
      const seconds = median(pick(runs, direction, scope, unit));
      const own = median(pick(base, direction, scope, unit));
      return [
        `${direction}.${unit}`,
        seconds === undefined ? null : { seconds, ratio: own === undefined ? null : seconds / own },
      ] as const;
    }),
  );
  return Object.fromEntries(cells);
}

function heading({ count, bytesEach, runs, load }: Setting): string {
  return (
    `${count} observations of ${bytesEach} bytes, ${runs} interleaved ${runs === 1 ? "run" : "runs"}: ` +
    `median (lowest–highest) in seconds, ×N = that many times Tidemark's. ` +
    `CPU = client, server and database. Node ${process.version}, load average ` +
    `${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after.`
  );
}

function table(scope: Scope, results: readonly Result[]): string {
  const { title, baseline } = scopes[scope];
  const base = baselineOf(scope, results);
  const rows = results
    .filter(({ runs }) => runs.some(({ push }) => push[scope] !== undefined))
    .map(({ peer, runs }) => {
      const cells = directions.flatMap((direction) =>
        (["wall", "cpu"] as const).map((unit) =>
          cell(
            pick(runs, direction, scope, unit),
            peer.name === baseline ? undefined : median(pick(base, direction, scope, unit)),
          ),
        ),
      );
      return `| ${peer.title} | ${cells.join(" | ")} |`;
    });
  return [
    title,
    "",
    "| | push wall | push CPU | pull wall | pull CPU |",
    "|---|--:|--:|--:|--:|",
    ...rows,
  ].join("\n");
}

/** Where the processor time of the work goes: the median of each part. */
function shares(results: readonly Result[]): string {
  const parts = ["client", "server", "database"] as const;
  const rows = results
    .filter(({ runs }) => runs.some(({ push }) => push.work?.cpu !== undefined))
    .map(({ peer, runs }) => {
      const cells = directions.map((direction) =>
        parts.map((part) => cell(pick(runs, direction, "work", part), undefined)).join(" | "),
      );
      return `| ${peer.title} | ${cells.join(" | ")} |`;
    });
  return [
    "Work alone: where the CPU goes",
    "",
    "| | push client | server | database | pull client | server | database |",
    "|---|--:|--:|--:|--:|--:|--:|",
    ...rows,
  ].join("\n");
}

function cell(seconds: readonly number[], base: number | undefined): string {
  const middle = median(seconds);
  if (middle === undefined) return "–";
  const range =
    seconds.length > 1 ? ` (${fixed(Math.min(...seconds))}–${fixed(Math.max(...seconds))})` : "";
  const ratio = base === undefined ? "" : ` ×${fixed(middle / base)}`;
  return `${fixed(middle)}${range}${ratio}`;
}

function baselineOf(scope: Scope, results: readonly Result[]): readonly Run[] {
  return results.find(({ peer }) => peer.name === scopes[scope].baseline)?.runs ?? [];
}

function pick(
  runs: readonly Run[],
  direction: Direction,
  scope: Scope,
  unit: Unit,
): readonly number[] {
  return runs
    .map((run): Cost | undefined => run[direction][scope])
    .map((cost) => {
      if (unit === "wall") return cost?.wall;
      return cost?.cpu?.[unit === "cpu" ? "total" : unit];
    })
    .filter((value) => value !== undefined);
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const high = sorted[Math.floor(sorted.length / 2)];
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  return high === undefined || low === undefined ? undefined : (high + low) / 2;
}

function fixed(value: number): string {
  return value.toFixed(2);
}
