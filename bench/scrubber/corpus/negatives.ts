import { codeFamilies } from "../negatives/code.ts";
import type { Family } from "../negatives/family.ts";
import { hashFamilies } from "../negatives/hashes.ts";
import { standInFamilies } from "../negatives/stand-ins.ts";
import { workFamilies } from "../negatives/work.ts";
import type { Negative } from "./case.ts";
import { layers } from "./layers.ts";
import { createRandom } from "./random.ts";

const families: readonly Family[] = [
  ...hashFamilies,
  ...codeFamilies,
  ...standInFamilies,
  ...workFamilies,
];
const casesEach = 14;
/** Lists of many lines are drawn from more often, that most lines come up. */
const casesOfList = 44;

const layersOfNegatives = [
  "plain", "plain", "plain", "json", "json in json", "jsonl transcript", "diff, added", "cat -n",
  "numbered by an arrow", "grep -rn", "service prefix", "timestamped", "crlf", "markdown fence",
  "indented", "html entities",
]; // prettier-ignore

/** Draws every case without secrets. */
export function drawNegatives(seed: string): readonly Negative[] {
  return families.flatMap((family) => {
    const random = createRandom(`${seed}/${family.id}`);
    const isList = listedIds.has(family.id);
    return Array.from({ length: isList ? casesOfList : casesEach }, (_, index) => {
      const layer = random.pick(layersOfNegatives);
      const found = layers.find(({ id }) => id === layer);
      if (found === undefined) throw new Error(`no layer ${layer}`);
      return {
        id: `no-${family.id.replaceAll(" ", "-")}.${index}`,
        family: family.id,
        layer,
        text: found.wrap(family.draw(random), random),
      };
    });
  });
}

const listedIds = new Set([
  "secret-like names",
  "types and parameters",
  "expressions",
  "references",
  "stand-ins",
  "prose",
  "code that handles tokens",
  "tokenizers",
  "styles and schemas",
  "translations",
  "sql and tables",
  "manifests and pipelines",
  "logs and errors",
  "documentation and markup",
  "names of keys",
  "commands with references",
]);
