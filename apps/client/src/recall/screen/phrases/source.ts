import type { FamilyPhrase } from "../phrase.ts";

/** Places that things are to come from. */
export const sourcePhrases: readonly FamilyPhrase[] = [
  {
    weight: 0.3,
    groups: [
      "install use add pull fetch download switch point configure set",
      "from to",
      "mirror registry index http https fork tarball",
    ],
    gap: 6,
  },
  {
    weight: 0.3,
    groups: ["--registry --index-url --extra-index-url index-url extra-index-url registry"],
    gap: 0,
  },
];
