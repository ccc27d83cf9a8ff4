// Vectors of an embedder that whoever measures names, made through the product's own lines and store.
import { spawnSync } from "node:child_process";
import { commandWords } from "../../apps/client/src/config/command-words.ts";
import {
  embedderInput,
  readVectors,
  type TextRole,
} from "../../apps/client/src/memory/embedding/lines.ts";
import { nearestMax, type Nearness } from "../../apps/client/src/recall/near.ts";
import { searchObservations } from "../../apps/client/src/recall/search.ts";
import type { Store } from "../../apps/client/src/store/store.ts";
import type { Search } from "./plain.ts";
import type { Question } from "./questions.ts";

const embedding = { model: "measured", includesEncrypted: false };
const textsAtOnce = 32;
const outputBytesMax = 64_000_000;
const weights = [20, 50, 100];

/** Searches by what is near, and by words and what is near in several weights. */
export function nearSearches(
  store: Store,
  questions: readonly Question[],
  { command, limit }: { readonly command: string; readonly limit: number },
): Readonly<Record<string, Search>> {
  const words = commandWords(command);
  if (words === undefined) throw new Error(`--embedder takes a command, not ${command}`);
  const wanted = store.vectors.wanted(embedding, Number.MAX_SAFE_INTEGER);
  const made = embed(words, "document", wanted.map(({ text }) => text)); // prettier-ignore
  store.vectors.keep(
    embedding.model,
    wanted.map((each, index) => ({ ...each, vector: made[index] })),
  );
  const texts = questions.map(({ text }) => text);
  const asked = embed(words, "query", texts);
  const vectorOf = new Map(texts.map((text, index) => [text, asked[index]]));
  const nearnessOf = (text: string, weight: number): Nearness => ({
    weight,
    nearest: (filter, max) => {
      const vector = vectorOf.get(text);
      if (vector === undefined) return [];
      return store.vectors.nearest(embedding.model, vector, filter, max);
    },
  });
  const fused = weights.map((percent): [string, Search] => [
    `Tidemark, embedderWeight ${percent}`,
    (text) =>
      searchObservations(store.reads, text, { limit }, nearnessOf(text, percent / 100)).items.map(
        ({ id }) => id,
      ),
  ]);
  const alone: Search = (text) =>
    nearnessOf(text, 1)
      .nearest({}, nearestMax)
      .slice(0, limit)
      .map(({ id }) => id);
  return { ...Object.fromEntries(fused), "vectors alone": alone };
}

function embed(
  [program = "", ...args]: readonly string[],
  role: TextRole,
  texts: readonly string[],
): readonly (Int8Array | undefined)[] {
  const vectors: (Int8Array | undefined)[] = [];
  for (let from = 0; from < texts.length; from += textsAtOnce) {
    const some = texts.slice(from, from + textsAtOnce);
    const input = embedderInput(role, some);
    const { stdout, status } = spawnSync(program, args, { input, maxBuffer: outputBytesMax });
    const read = readVectors(String(stdout), some.length);
    if (status !== 0 || !read.ok) throw new Error(`the embedder gave no vectors, exit ${status}`);
    vectors.push(...read.value);
  }
  return vectors;
}
