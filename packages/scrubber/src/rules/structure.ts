import type { Rule } from "../rule.ts";
import { scanPlaceholder } from "../scanners/placeholder-atom.ts";
import { scanPrivateInHtml, scanPrivateTag } from "../scanners/private-tag.ts";

const own = { priority: 0, source: "this project's own: SC2 and SC6" } as const;

/** What a person or an earlier scrub has marked already. */
export const structureRules: readonly Rule[] = [
  { id: "placeholder", ...own, kind: "placeholder", anchors: ["__SECRET_"], scan: scanPlaceholder },
  { id: "private-tag", ...own, kind: "private", anchors: ["<private>"], scan: scanPrivateTag },
  {
    id: "private-html",
    ...own,
    kind: "private",
    anchors: ["&lt;private&gt;"],
    scan: scanPrivateInHtml,
  },
];
