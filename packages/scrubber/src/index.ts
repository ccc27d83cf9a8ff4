export type { ScrubbedJson, ScrubbedText } from "./brand.ts";
export type { Confidence, Finding, Hint, JsonValue, Layer } from "./finding.ts";
export { jsonDepthMax, textCharsMax } from "./limits.ts";
export type { PersonalKind } from "./personal-rule.ts";
export { isPlaceholder, placeholderPattern } from "./placeholder.ts";
export {
  createScrubber,
  type ScrubbedJsonResult,
  type ScrubbedResult,
  type Scrubber,
  type ScrubberOptions,
} from "./scrubber.ts";
export type { Hmac } from "./tagger.ts";
