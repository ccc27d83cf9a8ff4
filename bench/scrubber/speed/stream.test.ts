import { expect, test } from "vitest";
import { createScrubStream } from "../../../packages/scrubber/src/index.ts";
import { drawCorpus } from "../corpus/corpus.ts";
import { createRandom } from "../corpus/random.ts";
import { benchScrubber } from "../measure/subject.ts";

const textChars = 60_000;
const chunkChars = 3_001;

test("[SC17] a stream of the corpus, every kind in every form, is the whole scrubbed", () => {
  const { positives, negatives } = drawCorpus("1");
  const cases = [...positives, ...negatives];
  const random = createRandom("stream");
  const scrubber = benchScrubber();
  for (let round = 0; round < 3; round++) {
    let text = "";
    while (text.length < textChars) text += `${random.pick(cases).text}\n`;
    const stream = createScrubStream(scrubber, { stretchChars: 8_192 });
    let out = "";
    for (let at = 0; at < text.length; at += chunkChars) {
      out += stream.write(text.slice(at, at + chunkChars));
    }
    expect(out).not.toBe("");
    expect(out + stream.end()).toBe(scrubber.scrub(text).text);
  }
});
