/** How sure a rule is that it found a secret. */
export type Confidence = "high" | "medium" | "low";

/**
 * The form in which a secret stood: as is, in escaped JSON, percent-encoded, in entities, in
 * base64, in hex, or broken over two lines. Of several layers it is the outermost.
 */
export type Layer = "plain" | "json" | "percent" | "html" | "base64" | "hex" | "wrapped";

/** What was detected and where, never the value itself. */
export interface Finding {
  /** What it is, such as `github_pat` or `url_password`. */
  readonly kind: string;
  /** The rule that found it. */
  readonly ruleId: string;
  /** First code unit of the redacted stretch, in the input (of the leaf, if `path` is given). */
  readonly start: number;
  /** One past the last code unit of the redacted stretch, in the input. */
  readonly end: number;
  /** The tag in the placeholder that took its place; equal secrets have equal tags. */
  readonly placeholderTag: string;
  readonly confidence: Confidence;
  readonly layer: Layer;
  /** Whether a checksum or a decoding test held; absent where the kind has none. */
  readonly valid?: boolean;
  /** JSON pointer, already scrubbed, of the leaf or key that held it. */
  readonly path?: string;
}

/** What the caller knows about a text; it sharpens the judgement and is never needed. */
export interface Hint {
  /** File the text came from; lock files and minified code are searched for shapes only. */
  readonly path?: string;
  /** The key the text stood under, such as `password`; a JSON walk sets it by itself. */
  readonly name?: string;
}

/** A JSON value as `JSON.parse` gives it. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
