import type { ScrubbedJson } from "@tidemark/scrubber";

/**
 * Fields that may be stored: every value went through the scrubber, in `memory/`, which alone can
 * make the brand. A path around it does not compile (SC: scrub before store).
 */
export type ScrubbedFields = Readonly<Record<string, ScrubbedJson>>;
