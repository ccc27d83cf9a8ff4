import { expect, test } from "vitest";
import { canaries } from "../../apps/client/src/memory/testing/canaries.ts";
import { documentedTable } from "./document.ts";
import { rememberedObservations } from "./recordings.ts";
import { readVerdicts, reviewTable, usefulMin, verdictOf } from "./verdicts.ts";

const observations = rememberedObservations();
const verdicts = readVerdicts();

test("[CP36] every observation of the recordings has been read, as it is now", () => {
  const unread = observations.filter((each) => verdictOf(verdicts, each) === undefined);
  expect(unread.map(({ kind, title }) => `${kind}: ${title}`)).toEqual([]);
  const read = new Set(observations.map((each) => verdictOf(verdicts, each)));
  expect(verdicts.filter((verdict) => !read.has(verdict))).toEqual([]);
  expect(verdicts.filter(({ reason }) => reason.length < 8)).toEqual([]);
});

test("[CP36] nine of ten are useful to whoever comes later", () => {
  const useful = observations.filter(
    (each) => verdictOf(verdicts, each)?.verdict === "useful",
  ).length;
  expect(useful / observations.length).toBeGreaterThanOrEqual(usefulMin);
});

test("[CP36] the document shows the verdicts", () => {
  expect(documentedTable()).toBe(reviewTable(observations, verdicts));
});

test("[CP36] no secret that is put into every text of the recordings reaches an observation", () => {
  const planted = rememberedObservations((text) => `${text}\n${canaries.join("\n")}\n`);
  expect(planted.length).toBeGreaterThan(observations.length / 2);
  const all = JSON.stringify(planted);
  expect(canaries.filter((canary) => all.includes(canary))).toEqual([]);
  expect(all.includes("__SECRET_")).toBe(true);
});
