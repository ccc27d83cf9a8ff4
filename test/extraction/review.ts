/**
 * Shows every observation that the recordings give, with what a person said of it, and writes the
 * table of docs/extraction.md. What nobody has read is added to verdicts.tsv without a verdict, and
 * the exit code is 1.
 */
import { documentTable } from "./document.ts";
import { rememberedObservations } from "./recordings.ts";
import { askForVerdicts, readVerdicts, reviewTable, verdictOf } from "./verdicts.ts";

const observations = rememberedObservations();
const verdicts = readVerdicts();
const unread = observations.filter((observation) => verdictOf(verdicts, observation) === undefined);
for (const { id, kind, title, narrative, facts } of unread) {
  console.log(`\n${id.slice(0, 8)} ${kind}: ${title}\n${narrative}`);
  for (const fact of facts) console.log(`  - ${fact}`);
}
if (unread.length > 0) {
  askForVerdicts(unread);
  console.error(`error: ${unread.length} observations have no verdict`);
  console.error("hint: read them, fill in test/extraction/verdicts.tsv, and run this again");
  process.exitCode = 1;
} else {
  const table = reviewTable(observations, verdicts);
  documentTable(table);
  console.log(table);
}
