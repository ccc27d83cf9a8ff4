export type { ScrubbedJson, ScrubbedText } from "./brand.ts";
export type { CharClass } from "./chars.ts";
export type { Allow } from "./control/allow.ts";
export { type Control, faultsOfControl } from "./control/control.ts";
export { ControlError, type ControlFault } from "./control/fault.ts";
export { type PersonalKindFacts, personalKinds } from "./control/personal-kinds.ts";
export type { UserRule, UserRun } from "./control/user-rule.ts";
export type { Confidence, Finding, Hint, JsonValue, Layer } from "./finding.ts";
export { jsonDepthMax, textCharsMax } from "./limits.ts";
export type { PersonalKind } from "./personal-rule.ts";
export { isPlaceholder, placeholderPattern, placeholderStart } from "./placeholder.ts";
export {
  createScrubber,
  type ScrubbedJsonResult,
  type ScrubbedResult,
  type Scrubber,
  type ScrubberOptions,
} from "./scrubber.ts";
export {
  createScrubStream,
  type ScrubStream,
  scrubStream,
  type StreamOptions,
} from "./stream/scrub-stream.ts";
export type { Hmac } from "./tagger.ts";
