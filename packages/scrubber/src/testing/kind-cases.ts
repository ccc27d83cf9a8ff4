import { catalog } from "../catalog.ts";
import { namedKinds } from "../named-kinds.ts";
import type { NamedKind, Part, Priority, Run, TokenRule } from "../rule.ts";
import { readSecretName } from "../secret-name.ts";
import { drawParts, drawRun, drawToken } from "./fakes.ts";
import { scannerSamples } from "./scanner-samples.ts";

/** What a kind is tested with; everything is drawn, so that no file holds a token. */
export interface KindCase {
  readonly kind: string;
  readonly priority: Priority;
  readonly source: string;
  /** The rule that finds it. */
  readonly ruleId: string;
  /** Known by the vendor's name and form, and then sure; else only that it is a secret is known. */
  readonly hasVendor?: boolean;
  /** Rule, name or sample, for the title. */
  readonly title: string;
  /** A text with the secret in it, for each context, and the secret. */
  readonly positive: (seed: number) => readonly (readonly [text: string, secret: string])[];
  /** Texts that look like it and are no secret of this kind, by what is wrong with them. */
  readonly negative: (seed: number) => Readonly<Record<string, string>>;
}

/** Where a token with a shape stands: alone, in files, in prose. */
const bare: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `A=1\nBUILD_REF=${secret}\nB=2\n`,
  (secret) => JSON.stringify({ note: secret, next: 1 }),
  (secret) => `I ran it with ${secret} and it worked.`,
];

/** Where a secret without a shape stands: under its name. */
const named: readonly ((name: string, secret: string) => string)[] = [
  (name, secret) => `A=1\n${name}=${secret}\nB=2\n`,
  (name, secret) => JSON.stringify({ [name]: secret, next: 1 }),
  (name, secret) => `env:\n  ${name.toLowerCase()}: "${secret}"\n`,
  (name, secret) => `set ${name} to it: ${name}="${secret}" worked.`,
];

function tokenCase(rule: TokenRule): KindCase {
  return {
    ...rule,
    ruleId: rule.id,
    title: rule.id,
    positive: (seed) => {
      const token = drawToken(rule, seed);
      return bare.map((write) => [write(token), token]);
    },
    negative: (seed) => ({
      "one too short": `see ${broken(rule, seed, (run) => drawRun({ ...run, min: run.min - 1 }, seed))} there`,
      "of another alphabet": `see ${broken(rule, seed, (run) => `${drawRun(run, seed).slice(1)}!`)} there`,
      "in a word": `see ${glue(rule)}${drawToken(rule, seed)} there`,
    }),
  };
}

/** The token with its last run, or what stands before its anchor, spoilt. */
function broken(rule: TokenRule, seed: number, spoil: (run: Run) => string): string {
  const place = rule.body.findLastIndex((part) => typeof part !== "string" && part.min > 0);
  const before = rule.before === undefined ? "" : drawRun(rule.before, seed);
  if (place < 0 && rule.before !== undefined) {
    return spoil(rule.before) + rule.anchor + drawParts(rule.body, seed);
  }
  const body = rule.body.map((part, index) =>
    index === place && typeof part !== "string" ? spoil(part) : drawParts([part], seed + index),
  );
  return before + rule.anchor + body.join("");
}

/** Letters that end in the middle of a word, more than the rule would take for the token's. */
function glue({ before }: TokenRule): string {
  return before === undefined ? "x" : "x".repeat(before.max + 1);
}

/** A name that holds the first of each of a kind's words, and promises a secret. */
export function nameOf({ words }: NamedKind): string {
  const name = words
    .map((word) => word.split("|")[0])
    .join("_")
    .toUpperCase();
  return readSecretName(name) === undefined ? `${name}_TOKEN` : name;
}

function namedCase(row: NamedKind): KindCase {
  const name = nameOf(row);
  const shape: readonly Part[] = row.shapes[0] ?? [];
  return {
    ...row,
    ruleId: "assignment",
    hasVendor: true,
    title: name,
    positive: (seed) => {
      const secret = drawParts(shape, seed);
      return named.map((write) => [write(name, secret), secret]);
    },
    negative: (seed) => ({
      "under another name": `A=1\nBUILD_REF=${drawParts(shape, seed)}\n`,
      "of another length": `${name}=${drawParts(shape, seed)}${"0".repeat(5000)}\n`,
      "a stand-in": `${name}=${"x".repeat(32)}\n`,
    }),
  };
}

const tokenRules = catalog.filter((rule): rule is TokenRule => !("scan" in rule));

/** One case or more for every kind of secret. */
export const kindCases: readonly KindCase[] = [
  ...tokenRules.map(tokenCase),
  ...namedKinds().map(namedCase),
  ...scannerSamples,
];
