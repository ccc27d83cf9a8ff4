import { type CharClass, charClasses } from "../chars.ts";
import { compileRules, type RuleFault } from "../compile.ts";
import { openMax, type Part, run, type TokenRule } from "../rule.ts";
import type { ControlFault } from "./fault.ts";
import { type PatternFault, readPattern } from "./pattern.ts";

/** A run of one named class of characters; `max` is `min` if absent. */
export interface UserRun {
  readonly class: CharClass;
  readonly min: number;
  readonly max?: number;
}

/** A token of the user's own: what it begins with, and what follows. */
export interface UserRule {
  /** Names the rule in findings, as `user:<id>`. */
  readonly id: string;
  /** What is found, and the label of its placeholder: lower-case words joined by underscores. */
  readonly kind: string;
  /** What the token begins with, 2 to 40 printable ASCII characters; case counts. */
  readonly anchors: readonly string[];
  /** What follows: a pattern such as `[A-Za-z0-9]{32}`, or its parts. */
  readonly body: string | readonly (string | UserRun)[];
}

/** What the id of a user's rule begins with in findings. */
export const userRulePrefix = "user:";

/** Most rules of a user. */
export const userRulesMax: number = 100;

const anchorsMax = 16;
/** A longer label would not be read back as a placeholder. */
const kindCharsMax = 40;
const idPattern = (): RegExp => /^[A-Za-z0-9][\w.-]{0,63}$/;
const kindPattern = (): RegExp => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** Labels with a meaning of their own. */
const reservedKinds = new Set(["private", "withheld", "placeholder"]);

const words: Readonly<Record<RuleFault["kind"], PatternFault>> = {
  anchor: {
    message: "an anchor is not 2 to 40 printable ASCII characters",
    hint: "begin the rule with what every token begins with, such as acme_",
  },
  kind: {
    message: "the kind is not lower-case words joined by underscores",
    hint: "write it like acme_token",
  },
  bounds: {
    message: "a run's bounds are not whole numbers in order",
    hint: `give 0 <= min <= max <= ${openMax}`,
  },
  overlap: {
    message: "a run of variable length is followed by what it could hold itself",
    hint: "give it a fixed length, such as {20}, or part them by a character that the run does not hold",
  },
  empty: {
    message: "nothing is said of what follows the anchor",
    hint: "give a body such as [A-Za-z0-9]{32}",
  },
};

/** Reads a user's rules; all faults are told at once. */
export function readUserRules(
  rules: readonly UserRule[],
): { ok: true; value: readonly TokenRule[] } | { ok: false; error: readonly ControlFault[] } {
  const faults: ControlFault[] = [];
  if (rules.length > userRulesMax) {
    const message = `more than ${userRulesMax} rules`;
    faults.push({ where: "rules", message, hint: "let one rule have several anchors" });
  }
  const seen = new Set<string>();
  const tokens = rules.slice(0, userRulesMax).flatMap((rule, index) => {
    const read = readRule(rule, seen);
    if ("message" in read) {
      faults.push({ where: nameOf(rule, index), ...read });
      return [];
    }
    return read;
  });
  return faults.length === 0 ? { ok: true, value: tokens } : { ok: false, error: faults };
}

function nameOf(rule: UserRule, index: number): string {
  return idPattern().test(rule.id) ? `rules[${index}] (${rule.id})` : `rules[${index}]`;
}

function readRule(rule: UserRule, seen: Set<string>): readonly TokenRule[] | PatternFault {
  if (!idPattern().test(rule.id)) {
    const message = "the id is not 1 to 64 letters, digits, dots, dashes and underscores";
    return { message, hint: "write it like acme-token" };
  }
  if (seen.has(rule.id)) return { message: "another rule has this id", hint: "give it its own" };
  seen.add(rule.id);
  const kind = faultOfKind(rule.kind);
  if (kind !== undefined) return kind;
  if (rule.anchors.length === 0 || rule.anchors.length > anchorsMax) {
    return {
      message: `a rule has 1 to ${anchorsMax} anchors`,
      hint: "name what every token begins with; write a second rule for the rest",
    };
  }
  const body = readBody(rule.body);
  if ("message" in body) return body;
  const tokens = rule.anchors.map((anchor): TokenRule => ({
    id: userRulePrefix + rule.id,
    kind: rule.kind,
    priority: 0,
    source: "a user's own rule",
    anchor,
    body,
    // The user says what a token looks like; whether it reads as words is no matter.
    require: () => true,
  }));
  const compiled = compileRules(tokens);
  return compiled.ok ? tokens : words[compiled.error.kind];
}

function faultOfKind(kind: string): PatternFault | undefined {
  if (!kindPattern().test(kind)) return words.kind;
  if (reservedKinds.has(kind)) {
    return {
      message: `the kind ${kind} has a meaning of its own`,
      hint: "write it like acme_token",
    };
  }
  if (kind.length <= kindCharsMax) return undefined;
  const hint = `give it at most ${kindCharsMax} characters`;
  return { message: "the kind is too long for a placeholder", hint };
}

function readBody(body: UserRule["body"]): readonly Part[] | PatternFault {
  if (typeof body === "string") {
    const read = readPattern(body);
    return read.ok ? read.value : read.error;
  }
  const strange = body.find(
    (part) => typeof part !== "string" && !Object.hasOwn(charClasses, part.class),
  );
  if (strange !== undefined) {
    const hint = `the classes are ${Object.keys(charClasses).join(", ")}`;
    return { message: "a run names a class that is none", hint };
  }
  const isWhole = body.every(
    (part) =>
      typeof part === "string" || (Number.isInteger(part.min) && Number.isInteger(part.max ?? 0)),
  );
  if (!isWhole) return words.bounds;
  return body.map((part) =>
    typeof part === "string" ? part : run(part.class, part.min, part.max ?? part.min),
  );
}
