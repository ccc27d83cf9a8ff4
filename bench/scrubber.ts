// The quality and the speed of the scrubber, on a corpus that is drawn from a seed as this runs,
// beside what both have to reach.
//
//   npm run bench:scrubber                         quality, speed, the worst kinds and contexts
//   npm run bench:scrubber -- --quality            without the speed
//   npm run bench:scrubber -- --misses             every case that fails
//   npm run bench:scrubber -- --case github-pat.3  one case: its text and what became of it
//   npm run bench:scrubber -- --peers              other scrubbers on the same corpus
//   npm run bench:scrubber -- --seed 7 --json
import { parseArgs } from "node:util";
import { describeMachine, machineText } from "./measure/machine.ts";
import type { Corpus } from "./scrubber/corpus/case.ts";
import { drawCorpus } from "./scrubber/corpus/corpus.ts";
import { measureQuality, type Quality } from "./scrubber/measure/quality.ts";
import {
  asJson,
  caseText,
  missLines,
  resultTable,
  worstTables,
} from "./scrubber/measure/report.ts";
import { createSubject } from "./scrubber/measure/subject.ts";
import { qualityResults, type Result } from "./scrubber/measure/targets.ts";
import { measurePeers } from "./scrubber/peers/peers.ts";
import { peerTable } from "./scrubber/peers/table.ts";
import { startCosts } from "./scrubber/speed/start.ts";
import { streamMemory } from "./scrubber/speed/stream.ts";
import { paceName, throughput } from "./scrubber/speed/throughput.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    quality: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
    case: { type: "string" },
    json: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
  },
});
const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const machine = describeMachine();
const corpus = drawCorpus(values.seed);
const subject = createSubject();
const quality = measureQuality(corpus, subject);
if (values.case !== undefined) print(caseText(quality, values.case));
else if (values.misses) print(missLines(quality));
else await report(corpus, quality);

async function report(drawn: Corpus, found: Quality): Promise<void> {
  const results = qualityResults(found);
  const speeds = values.quality ? [] : await speedResults(drawn);
  if (values.json) {
    print(asJson({ seed: values.seed, machine, results: [...results, ...speeds] }, found));
    return;
  }
  print(`${sizeText(drawn)}\n${machineText(machine)}\n`);
  print(resultTable(results));
  if (speeds.length > 0) print(`\n${resultTable(speeds)}\n${streamMemory(drawn.positives).text}`);
  if (values.peers) {
    const peers = await measurePeers(drawn, (line) => void process.stderr.write(`${line}\n`));
    const pace = speeds.find(({ name }) => name === paceName)?.value;
    print(`\n${peerTable({ quality: found, mbPerCpuSecond: pace }, peers)}`);
  }
  print(`\n${worstTables(found)}`);
}

async function speedResults({ positives }: Corpus): Promise<readonly Result[]> {
  return [...throughput(subject.rewrite, positives), ...(await startCosts(positives))];
}

function sizeText({ positives, negatives }: Corpus): string {
  const kinds = (isPersonal: boolean): number =>
    new Set(
      positives.filter((each) => (each.priority === "P3") === isPersonal).map(({ kind }) => kind),
    ).size;
  const forms = new Set(positives.map(({ form }) => form)).size;
  const layers = new Set(positives.map(({ layer }) => layer)).size;
  return (
    `seed ${values.seed}: ${positives.length} cases of ${kinds(false)} kinds of secrets and ${kinds(true)} of personal data ` +
    `in ${forms} forms and ${layers} layers, ${negatives.length} harmless look-alikes`
  );
}
