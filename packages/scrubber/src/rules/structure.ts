import type { Rule } from "../rule.ts";
import { scanPlaceholder } from "../scanners/placeholder-atom.ts";
import { scanPrivateTag } from "../scanners/private-tag.ts";

/** What a person or an earlier scrub has marked already. */
export const structureRules: readonly Rule[] = [
  { id: "placeholder", kind: "placeholder", anchors: ["__SECRET_"], scan: scanPlaceholder },
  { id: "private-tag", kind: "private", anchors: ["<private>"], scan: scanPrivateTag },
];
