import { readFileSync, writeFileSync } from "node:fs";
import type { Observation } from "../../apps/client/src/store/observation.ts";

/** What a person says of an observation after reading it. */
export interface Verdict {
  /** The first characters of the observation's id. */
  readonly id: string;
  readonly verdict: "useful" | "not useful";
  readonly reason: string;
  /** The title that was read: another title is another observation. */
  readonly title: string;
}

const file = new URL("./verdicts.tsv", import.meta.url);
const idChars = 8;

/** The least share of useful observations. */
export const usefulMin = 0.9;

export function readVerdicts(): readonly Verdict[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [id = "", verdict = "", reason = "", title = ""] = line.split("\t");
    if (verdict !== "useful" && verdict !== "not useful") throw new Error(`no verdict: ${line}`);
    return { id, verdict, reason, title };
  });
}

/** Writes a row without a verdict for each observation that nobody has read; a person fills it in. */
export function askForVerdicts(unread: readonly Observation[]): void {
  const rows = unread.map(({ id, title }) => `${id.slice(0, idChars)}\t?\t\t${title}\n`);
  writeFileSync(file, `${readFileSync(file, "utf8")}${rows.join("")}`);
}

/** The verdict on an observation as it is now, or undefined where nobody has read it. */
export function verdictOf(
  verdicts: readonly Verdict[],
  { id, title }: Observation,
): Verdict | undefined {
  return verdicts.find((each) => id.startsWith(each.id) && each.title === title);
}

/** The table of docs/extraction.md. */
export function reviewTable(
  observations: readonly Observation[],
  verdicts: readonly Verdict[],
): string {
  const rows = observations.map((observation, index) => {
    const verdict = verdictOf(verdicts, observation);
    const title = observation.title.replaceAll("|", "\\|");
    return `| ${index + 1} | ${observation.kind} | ${title} | ${verdict?.verdict ?? "?"} | ${verdict?.reason ?? ""} |`;
  });
  const useful = observations.filter(
    (observation) => verdictOf(verdicts, observation)?.verdict === "useful",
  ).length;
  const share = ((100 * useful) / Math.max(1, observations.length)).toFixed(1);
  return [
    `${observations.length} observations, ${useful} of them useful: ${share} %.`,
    "",
    "| # | kind | title | verdict | why |",
    "|--:|---|---|---|---|",
    ...rows,
  ].join("\n");
}
