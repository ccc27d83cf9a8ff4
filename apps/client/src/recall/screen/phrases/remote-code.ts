import type { FamilyPhrase } from "../phrase.ts";

/** Things from the network that are to be followed or run. */
export const remoteCodePhrases: readonly FamilyPhrase[] = [
  {
    weight: 0.5,
    groups: [
      "fetch download pull get curl wget load retrieve",
      "script payload code instructions commands binary installer",
      "and then",
      "run execute follow obey eval source apply",
    ],
    gap: 8,
  },
  {
    weight: 0.7,
    groups: [
      "decode decoded base64 rot13 hex unhex decrypt",
      "follow execute run obey apply eval do comply",
    ],
    gap: 7,
  },
  {
    weight: 0.5,
    groups: [
      "follow obey act carry load apply execute",
      "whatever it them out steps",
      "prints says one from typed there",
    ],
    gap: 4,
  },
];
