import type { Priority } from "./kind.ts";
import { readMarks, type Labelled } from "./marks.ts";

/** A text with secrets in it, and what has to become of it. */
export interface Positive extends Labelled {
  readonly id: string;
  readonly kind: string;
  readonly priority: Priority;
  /** How the secret is written down. */
  readonly form: string;
  /** What that stands in. */
  readonly layer: string;
  /** What is public of the secret and may stay. */
  readonly prefix: string;
  /** Whether only a name beside it betrays it. */
  readonly isNamed: boolean;
  readonly hasChecksum: boolean;
}

/** A text without secrets that looks as if it had some. */
export interface Negative {
  readonly id: string;
  readonly family: string;
  readonly layer: string;
  readonly text: string;
}

/** Notations of one and the same snippet: their secrets must get the same placeholders. */
export interface Twins {
  readonly id: string;
  readonly texts: readonly string[];
}

/** Two different secrets in the same surroundings: their placeholders must differ. */
export interface Rivals {
  readonly id: string;
  readonly texts: readonly [string, string];
}

/** Everything a scrubber is measured on. */
export interface Corpus {
  readonly positives: readonly Positive[];
  readonly negatives: readonly Negative[];
  readonly twins: readonly Twins[];
  readonly rivals: readonly Rivals[];
}

/** The stretches that must be gone, as they stand in the text. */
export function secretsOf({ text, spans }: Labelled): readonly string[] {
  return spans
    .filter(({ label }) => label === "secret")
    .map(({ start, end }) => text.slice(start, end));
}

/** What has to be readable afterwards. */
export function mustsOf({ text, spans }: Labelled): readonly string[] {
  return spans
    .filter(({ label }) => label === "must")
    .map(({ start, end }) => text.slice(start, end));
}

/** Makes a case of a marked text. */
export function positive(about: Omit<Positive, "text" | "spans">, marked: string): Positive {
  return { ...about, ...readMarks(marked) };
}

/**
 * Stretches of a secret none of which may be left: of half its length, six to fourteen characters.
 * A shorter rest betrays nothing; the public prefix counts for nothing.
 */
export function windowsOf(secret: string, prefix: string): readonly string[] {
  const written = [prefix, encodeURIComponent(prefix), Buffer.from(prefix).toString("hex")];
  const known = written.find((each) => secret.startsWith(each)) ?? "";
  const body = secret.slice(known.length);
  const size = Math.min(body.length, Math.max(6, Math.min(14, Math.ceil(body.length / 2))));
  const found: string[] = [];
  for (let at = 0; at + size <= body.length; at++) found.push(body.slice(at, at + size));
  return found;
}
