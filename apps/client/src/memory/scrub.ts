import {
  canonicalValue,
  ok,
  type JsonValue,
  type Result,
  type ValueError,
} from "@tidemark/protocol";
import {
  createScrubber,
  type Finding,
  type ScrubbedJson,
  type Scrubber,
  type ScrubberOptions,
} from "@tidemark/scrubber";
import { scrubToJson } from "@tidemark/scrubber/scrubbed-text";

/** What stands between any text and the store: the only maker of what the store takes (SC50). */
export interface Scrub {
  /**
   * A value in canonical form and without secrets. `name` is the key it stands under, such as a
   * field's; it sharpens the judgement. Fails on what no store can hold, such as `1e400`.
   */
  value(value: unknown, name?: string): Result<ScrubbedJson, ValueError>;
  /** A host's payload, of any shape and depth, without secrets; not yet in canonical form. */
  payload(payload: JsonValue): JsonValue;
  /** A text without secrets, for what is shown and not stored. */
  text(text: string): string;
}

/** HMAC-SHA-256 under a key. */
export type KeyedHmac = (key: Uint8Array, text: string) => Uint8Array;

/**
 * Tags of strong secrets are made under a key that all devices share, so that one secret has one
 * placeholder everywhere. It protects nothing: a tag of 60 bits tells nothing of 128 random bits.
 */
const sharedKey: Uint8Array = Uint8Array.from("tidemark", (letter) => letter.charCodeAt(0));

/** What a scrubber may be built with beyond its keys. */
export type ScrubAsked = Omit<ScrubberOptions, "hmac" | "hmacLowEntropy">;

/** How often something was taken out, by kind. */
export type KindCounts = Readonly<Record<string, number>>;

/** The scrubber of a device; `key` is its own and tags secrets that could be guessed. */
export function createDeviceScrubber(
  key: Uint8Array,
  hmac: KeyedHmac,
  asked: ScrubAsked = {},
): Scrubber {
  return createScrubber({
    ...asked,
    hmac: (text) => hmac(sharedKey, text),
    hmacLowEntropy: (text) => hmac(key, text),
  });
}

/** Builds the scrub of a device over {@link createDeviceScrubber}. */
export function createScrub(key: Uint8Array, hmac: KeyedHmac): Scrub {
  return scrubOver(createDeviceScrubber(key, hmac));
}

/** Builds a scrub over a scrubber; `note` is told what was taken out, where anything was (SC57). */
export function scrubOver(
  scrubber: Scrubber,
  note: (counts: KindCounts) => void = () => undefined,
): Scrub {
  const counted = <T extends { readonly findings: readonly Finding[] }>(result: T): T => {
    if (result.findings.length > 0) note(countKinds(result.findings));
    return result;
  };
  return {
    value: (value, name) => {
      const canonical = canonicalValue(value);
      if (!canonical.ok) return canonical;
      const hint = name === undefined ? {} : { name };
      return ok(counted(scrubToJson(scrubber, canonical.value, hint)).value);
    },
    payload: (payload) => counted(scrubber.scrubJson(payload)).value,
    text: (text) => counted(scrubber.scrub(text)).text,
  };
}

function countKinds(findings: readonly Finding[]): KindCounts {
  const counts: Record<string, number> = {};
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
