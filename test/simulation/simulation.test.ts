import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCorpus } from "./corpus.ts";
import { faultKinds } from "./faults.ts";
import type { Tally } from "./tally.ts";
import { playedTape } from "./tape.ts";
import { runTrial } from "./trial.ts";

test("[SI1] a run that once broke a promise never does again", async () => {
  for (const [name, { seed, tape, ...extras }] of readCorpus()) {
    const { failure } = await runTrial({ seed, tape: playedTape(tape), extras });
    expect({ name, failure }).toEqual({ name, failure: undefined });
  }
});

const runner = ["--conditions=source", "--import", "tsx"];

/** Where a client or a server can die, and each of these has to be met. */
const crashPoints = [
  ...["capture", "push", "pull", "hello"].flatMap((phase) =>
    ["begin", "statement", "commit", "committed"].map((stage) => `${phase}:${stage}`),
  ),
  "heal:begin",
  "heal:statement",
  "migrate:statement",
  "server:before-commit",
  "server:after-commit",
];

test("[SI2, SI3] two thousand seeds, each run twice, keep every promise and meet every fault and crash point", () => {
  const program = join(import.meta.dirname, "main.ts");
  const { status, stdout } = spawnSync(
    process.execPath,
    [...runner, program, "--seeds", "2000", "--twice", "--json", "--no-keep"],
    { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  const last = stdout.trimEnd().split("\n").at(-1) ?? "{}";
  const { failures, seeds, struck, crashPoints: met } = JSON.parse(last) as Tally;
  expect(failures).toEqual([]);
  expect({ status, seeds }).toEqual({ status: 0, seeds: 2000 });
  expect(
    faultKinds.filter((kind) => !kind.endsWith("Backup") && (struck[kind] ?? 0) === 0),
  ).toEqual([]);
  expect(crashPoints.filter((point) => (met[point] ?? 0) === 0)).toEqual([]);
}, 1_200_000);
