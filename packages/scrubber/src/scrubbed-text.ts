import type { Finding, Hint, JsonValue } from "./finding.ts";
import type { ScrubbedJson, ScrubbedText } from "./brand.ts";
import type { Scrubber } from "./scrubber.ts";

/**
 * Scrubs a text and gives it the brand the store asks for. With {@link scrubToJson} the only way
 * to that brand, and on a subpath of its own, so that a machine can name its importers.
 */
export function scrubToText(
  scrubber: Scrubber,
  text: string,
  hint?: Hint,
): { readonly text: ScrubbedText; readonly findings: readonly Finding[] } {
  const result = scrubber.scrub(text, hint);
  return { text: result.text as ScrubbedText, findings: result.findings };
}

/** Scrubs a JSON value leaf by leaf and gives it the brand the store asks for. */
export function scrubToJson(
  scrubber: Scrubber,
  value: JsonValue,
  hint?: Hint,
): { readonly value: ScrubbedJson; readonly findings: readonly Finding[] } {
  const result = scrubber.scrubJson(value, hint);
  return { value: result.value as ScrubbedJson, findings: result.findings };
}
