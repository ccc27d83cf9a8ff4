import type { FamilyPhrase } from "../phrase.ts";

/** Orders to keep and to spread. */
export const persistencePhrases: readonly FamilyPhrase[] = [
  {
    weight: 0.6,
    groups: [
      "save store add write append copy repeat include persist remember propagate carry keep preserve restate record reproduce",
      "this rule instruction instructions note line text reminder sentence message directive convention entry paragraph verbatim",
      "memory memories claude.md agents.md gemini.md cursorrules summary summaries future every conversation sessions handoff",
    ],
    gap: 6,
  },
  {
    weight: 0.5,
    groups: [
      "every each all future",
      "summary summaries session sessions response responses answer answers reply handoff",
      "include repeat contain carry mention must",
    ],
    gap: 4,
  },
  {
    weight: 0.5,
    groups: [
      "include repeat carry copy restate",
      "in into to",
      "every each all future",
      "summary summaries session sessions response responses answer answers commit note memory memories",
    ],
    gap: 4,
  },
  {
    weight: 0.5,
    groups: [
      "remember memorise memorize store put keep",
      "permanently forever good long-term permanent",
      "memory that user this",
    ],
    gap: 5,
  },
  {
    weight: 0.6,
    groups: [
      "count counts treat treated trust",
      "as",
      "user users",
      "orders order instructions commands",
    ],
    gap: 3,
  },
  { weight: 0.5, groups: ["never not", "pruned removed deleted expire"], gap: 2 },
  { weight: 0.5, groups: ["restore recreate rate", "this", "memory entry note record"], gap: 2 },
  { weight: 0.5, groups: ["whoever", "reads"], gap: 0 },
  {
    weight: 0.4,
    groups: [
      "put append write add create save",
      "~/.claude/claude.md claude.md agents.md .cursor/rules cursorrules gemini.md",
      "says that so run all holds",
    ],
    gap: 9,
  },
  {
    weight: 0.5,
    groups: [
      "the that",
      "user human person",
      "has have",
      "granted agreed consented approved permitted authorised authorized",
    ],
    gap: 1,
  },
];
