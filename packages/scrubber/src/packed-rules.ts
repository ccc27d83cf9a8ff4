import { openAutomaton } from "./automaton.ts";
import { startsOf, textOf } from "./automaton-plan.ts";
import type { RulePlan, RuleSet } from "./compile.ts";
import type { NamedKind, Part, Rule, Run, ScannerRule, TokenRule, TokenTest } from "./rule.ts";

/** What a rule calls: a scanner, or a test on a token. */
export type RuleFunction = ScannerRule["scan"] | TokenTest;

/**
 * Rules as a build writes them down: a text of JSON each, one after the other, so that a process
 * that meets ten of them reads ten. What only people read of a rule, its source and priority, is left
 * out, and so are anchors that nobody compares: the plan knows them.
 */
export interface PackedRules {
  readonly texts: string;
  /** Where in {@link texts} each rule begins, and the last one ends; see {@link textOf}. */
  readonly starts: string;
  readonly plan: RulePlan;
  /** What the rules call by number. */
  readonly functions: readonly RuleFunction[];
}

type PackedPart = string | readonly [mask: number, min: number, max: number];
type Called<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends RuleFunction | undefined
    ? number
    : Fields[Name];
};
type Extras = Called<Pick<TokenRule, "confidence" | "isShared" | "require" | "valid">>;
type PackedToken = readonly [
  kind: string,
  anchor: string,
  body: readonly PackedPart[],
  before: PackedPart | 0,
  extras: Extras,
];
type PackedScanner = Called<Omit<ScannerRule, "priority" | "source" | "anchors">> & {
  readonly anchors?: readonly string[];
};

const unread = { priority: 0, source: "" } as const;

/** Opens packed rules; a rule is read when a text first holds one of its anchors. */
export function openPackedRules({ texts, starts, plan, functions }: PackedRules): RuleSet {
  const rules = new Map<number, Rule>();
  const ruleAt = (number: number): Rule => {
    const known = rules.get(number);
    if (known !== undefined) return known;
    const text = texts.slice(starts.charCodeAt(number), starts.charCodeAt(number + 1));
    const rule = unpackRule(text, functions);
    rules.set(number, rule);
    return rule;
  };
  return { ruleAt, plan, automaton: openAutomaton(plan.automaton), tried: [] };
}

/** Writes rules down; `numberOf` tells the number of a function that one calls. */
export function packRules(
  rules: readonly Rule[],
  numberOf: (called: RuleFunction, rule: Rule) => number,
): Pick<PackedRules, "texts" | "starts"> {
  const texts = rules.map((rule) => packRule(rule, (called) => numberOf(called, rule)));
  const lengths = texts.map((text) => text.length);
  return { texts: texts.join(""), starts: textOf(startsOf(lengths, 0)) };
}

function packRule(rule: Rule, numberOf: (called: RuleFunction) => number): string {
  return JSON.stringify("scan" in rule ? packScanner(rule, numberOf) : packToken(rule, numberOf));
}

function packScanner(
  { id, kind, anchors, contextual, isExact, scan }: ScannerRule,
  numberOf: (called: RuleFunction) => number,
): PackedScanner {
  return {
    id,
    kind,
    scan: numberOf(scan),
    ...(contextual === undefined ? {} : { contextual }),
    ...(isExact === true ? { isExact, anchors } : {}),
  };
}

function packToken(
  { kind, anchor, body, before, confidence, isShared, require, valid }: TokenRule,
  numberOf: (called: RuleFunction) => number,
): PackedToken {
  const extras = {
    ...(confidence === undefined ? {} : { confidence }),
    ...(isShared === undefined ? {} : { isShared }),
    ...(require === undefined ? {} : { require: numberOf(require) }),
    ...(valid === undefined ? {} : { valid: numberOf(valid) }),
  };
  return [kind, anchor, body.map(packPart), before === undefined ? 0 : packPart(before), extras];
}

function unpackRule(line: string, functions: readonly RuleFunction[]): Rule {
  const packed = JSON.parse(line) as PackedToken | PackedScanner;
  if (!isToken(packed)) {
    return {
      anchors: [],
      ...packed,
      ...unread,
      scan: functions[packed.scan] as ScannerRule["scan"],
    };
  }
  const [kind, anchor, body, before, { require, valid, ...extras }] = packed;
  return {
    ...unread,
    ...extras,
    kind,
    anchor,
    id: `${kind}:${anchor}`,
    body: body.map(unpackPart),
    ...(before === 0 ? {} : { before: unpackPart(before) as Run }),
    ...(require === undefined ? {} : { require: functions[require] as TokenTest }),
    ...(valid === undefined ? {} : { valid: functions[valid] as TokenTest }),
  };
}

function isToken(packed: PackedToken | PackedScanner): packed is PackedToken {
  return Array.isArray(packed);
}

/** Writes named kinds as lines: kind and words, parted by blanks, and the shapes as JSON. */
export function packNames(kinds: readonly NamedKind[]): string {
  const lineOf = ({ kind, words, shapes }: NamedKind): string =>
    `${[kind, ...words].join(" ")}\t${JSON.stringify(shapes.map((shape) => shape.map(packPart)))}`;
  return kinds.map(lineOf).join("\n");
}

/** The first words of named kinds in one text, each between two blanks, to be looked for in it. */
export function wordsOfVendors(kinds: readonly NamedKind[]): string {
  const words = kinds.flatMap((kind) => (kind.words[0] ?? "").split("|"));
  return ` ${[...new Set(words)].join(" ")} `;
}

/** Reads what {@link packNames} wrote; the shapes of a kind when somebody asks for them. */
export function unpackNames(text: string): readonly NamedKind[] {
  return text.split("\n").map((line) => {
    const [head = "", packed = ""] = line.split("\t");
    const [kind = "", ...words] = head.split(" ");
    return {
      ...unread,
      kind,
      words,
      get shapes() {
        const shapes = JSON.parse(packed) as readonly (readonly PackedPart[])[];
        return shapes.map((shape) => shape.map(unpackPart));
      },
    };
  });
}

function packPart(part: Part): PackedPart {
  return typeof part === "string" ? part : [part.mask, part.min, part.max];
}

function unpackPart(part: PackedPart): Part {
  if (typeof part === "string") return part;
  const [mask, min, max] = part;
  return { mask, min, max };
}
