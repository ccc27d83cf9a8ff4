/**
 * Measures whether search finds what a developer asks for: recall@5, recall@10 and MRR of plain FTS5
 * with the porter stemmer and of Tidemark, on questions about recorded sessions. Tuning looks at two
 * thirds of them; then how many a prompt gets answered unasked, in the room that it has. `--misses` lists what is not found in those, never in the third that is held back.
 * `--embedder "node embed.mjs"` measures search by meaning with that command as well.
 * `--scale 100000` measures how long search and context take among so many observations instead.
 */
import { searchObservations } from "../apps/client/src/recall/search.ts";
import type { Observation } from "../apps/client/src/store/observation.ts";
import type { Store } from "../apps/client/src/store/store.ts";
import { recordedMemory } from "./recall/memory.ts";
import { givenTo } from "./recall/given.ts";
import { nearSearches } from "./recall/embedder.ts";
import { plainSearch, type Search } from "./recall/plain.ts";
import { readQuestions, type Question } from "./recall/questions.ts";
import { measureScale } from "./recall/scale.ts";

const limit = 10;
/** Half of what a session's start has, as the hooks give a prompt. */
const promptTokens = 400;
const scale = process.argv.indexOf("--scale");
const embedder = process.argv.indexOf("--embedder");

if (scale === -1) measureQuality();
else measureScale(Number(process.argv[scale + 1] ?? 100_000));

interface Asked {
  readonly observations: readonly Observation[];
  readonly searches: Readonly<Record<string, Search>>;
}

function measureQuality(): void {
  const store = recordedMemory();
  const observations = store.reads.list({ includeHidden: true });
  const questions = readQuestions(observations.map(({ id }) => id));
  const asked: Asked = {
    observations,
    searches: {
      "plain FTS5, AND": plainSearch(observations, "AND", limit),
      "plain FTS5, OR": plainSearch(observations, "OR", limit),
      Tidemark: (text) =>
        searchObservations(store.reads, text, { limit }).items.map(({ id }) => id),
      ...(embedder === -1
        ? {}
        : nearSearches(store, questions, { command: process.argv[embedder + 1] ?? "", limit })),
    },
  };
  const tuned = questions.filter(({ isHeldBack }) => !isHeldBack);
  const heldBack = questions.filter(({ isHeldBack }) => isHeldBack);
  console.log(`${observations.length} observations, ${questions.length} questions`);
  printPart("two thirds to tune on", tuned, asked);
  printPart("third held back", heldBack, asked);
  printKinds(heldBack, asked);
  printGiven(store, { "two thirds to tune on": tuned, "third held back": heldBack });
  if (process.argv.includes("--misses")) printMisses(tuned, asked);
  store.close();
}

function printPart(name: string, part: readonly Question[], { searches }: Asked): void {
  console.log(`\n${name}: ${part.length} questions`);
  console.log("| search | recall@5 | recall@10 | MRR |");
  console.log("|---|--:|--:|--:|");
  for (const [search, find] of Object.entries(searches)) {
    const found = part.map((question) => ({ question, ids: find(question.text) }));
    const at = (k: number): number =>
      mean(found.map(({ question, ids }) => recallOf(question, ids.slice(0, k))));
    const mrr = mean(found.map(({ question, ids }) => reciprocalRank(question, ids)));
    console.log(`| ${search} | ${percent(at(5))} | ${percent(at(limit))} | ${mrr.toFixed(3)} |`);
  }
}

function printKinds(part: readonly Question[], { searches }: Asked): void {
  console.log("\nrecall@10 by kind of question, third held back");
  for (const kind of new Set(part.map((question) => question.kind))) {
    const own = part.filter((question) => question.kind === kind);
    const cells = Object.entries(searches).map(([search, find]) => {
      const recall = mean(own.map((question) => recallOf(question, find(question.text))));
      return `${search} ${percent(recall)}`;
    });
    console.log(`${kind} (${own.length}): ${cells.join(" · ")}`);
  }
}

function printGiven(store: Store, parts: Readonly<Record<string, readonly Question[]>>): void {
  console.log(`\nasked as a prompt, in ${promptTokens} tokens`);
  console.log("| questions | answered | items | tokens |");
  console.log("|---|--:|--:|--:|");
  for (const [name, part] of Object.entries(parts)) {
    const { answered, items, tokens } = givenTo(store, part, { tokensMax: promptTokens });
    console.log(`| ${name} | ${percent(answered)} | ${items.toFixed(2)} | ${tokens.toFixed(0)} |`);
  }
}

function printMisses(part: readonly Question[], { observations, searches }: Asked): void {
  const titles = new Map<string, string>(observations.map(({ id, title }) => [id, title]));
  for (const question of part) {
    const ids = searches["Tidemark"]?.(question.text) ?? [];
    if (recallOf(question, ids) === 1) continue;
    console.log(`\n${question.kind}: ${question.text}`);
    for (const id of question.answers) {
      console.log(`  ${ids.includes(id) ? "found" : "MISSED"} ${titles.get(id)}`);
    }
  }
}

/** The share of a question's answers that were found. */
function recallOf({ answers }: Question, ids: readonly string[]): number {
  return answers.filter((id) => ids.includes(id)).length / answers.length;
}

function reciprocalRank({ answers }: Question, ids: readonly string[]): number {
  const place = ids.findIndex((id) => answers.includes(id));
  return place === -1 ? 0 : 1 / (place + 1);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
