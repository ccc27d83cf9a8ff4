import type { Quality } from "../measure/quality.ts";
import { qualityResults, type Result } from "../measure/targets.ts";
import type { PeerResult } from "./peers.ts";

interface Column {
  readonly name: string;
  readonly results: readonly Result[];
}

const speedName = "mix, MB per CPU second";
const width = 18;

/** This project's scrubber and the peers, one a column. */
export function peerTable(
  own: { readonly quality: Quality; readonly mbPerCpuSecond: number | undefined },
  peers: readonly PeerResult[],
): string {
  const measured = peers.filter((peer) => "quality" in peer);
  const columns = [{ name: "tidemark", ...own }, ...measured].map(toColumn);
  const names = columns[0]?.results.map(({ name }) => name) ?? [];
  const row = (name: string, cells: readonly string[]): string =>
    `${name.padEnd(50)}${cells.map((cell) => cell.padStart(width)).join("")}`;
  const failures = peers
    .filter((peer) => "failure" in peer)
    .map(({ name, failure }) => `${name}: not measured, ${failure}`);
  return [
    row(
      "",
      columns.map(({ name }) => name),
    ),
    ...names.map((name) =>
      row(
        name,
        columns.map((column) => cellOf(column, name)),
      ),
    ),
    ...failures,
  ].join("\n");
}

function toColumn(about: {
  readonly name: string;
  readonly quality: Quality;
  readonly mbPerCpuSecond: number | undefined;
}): Column {
  const pace = about.mbPerCpuSecond;
  const speed =
    pace === undefined
      ? []
      : [{ name: speedName, value: pace, unit: "MB/CPU-s", note: "measured" }];
  return { name: about.name, results: [...qualityResults(about.quality), ...speed] };
}

function cellOf({ results }: Column, name: string): string {
  const found = results.find((result) => result.name === name);
  return found === undefined || found.note === "not measured" ? "–" : found.value.toFixed(2);
}
