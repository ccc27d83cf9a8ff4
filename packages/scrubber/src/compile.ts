import { isAt } from "./chars.ts";
import { openAutomaton, type Automaton } from "./automaton.ts";
import { planAutomaton, startsOf, textOf, type AutomatonPlan } from "./automaton-plan.ts";
import {
  openMax,
  type Part,
  type Rule,
  type Run,
  type ScannerRule,
  type TokenRule,
} from "./rule.ts";

/** Rules made ready for a scan. */
export interface RuleSet {
  readonly ruleAt: (number: number) => Rule;
  readonly plan: RulePlan;
  readonly automaton: Automaton;
  /** What is tried at each state that a text has led to, by the number of its row. */
  readonly tried: (readonly Tried[])[];
}

/** A rule that is tried where an anchor ends: one of the two, and how long the anchor is. */
export interface Tried {
  readonly token: TokenRule | undefined;
  readonly scanner: ScannerRule | undefined;
  readonly isContextual: boolean;
  readonly chars: number;
}

/** What follows from rules alone, as a build may write it down; see {@link AutomatonPlan}. */
export interface RulePlan {
  readonly automaton: AutomatonPlan;
  /** Length of each anchor. */
  readonly anchorLengths: string;
  /** Place in {@link ruleNumbers} of the first rule to try at an anchor, and one more. */
  readonly ruleStarts: string;
  readonly ruleNumbers: string;
}

/** Why a rule is outside the subset that is matched in linear time (SC4). */
export interface RuleFault {
  readonly ruleId: string;
  readonly kind: "anchor" | "kind" | "bounds" | "overlap" | "empty";
}

/** Longer anchors only grow the automaton; eight characters are rare enough to stop at. */
const plantedCharsMax = 8;

const anchorPattern = (): RegExp => /^[\x20-\x7e\u00a0-\ud7ff\uff00-\uffef]{2,40}$/;
const kindPattern = (): RegExp => /^[a-z0-9]+(_[a-z0-9]+)*$/;

/** Compiles rules that no build has planned; see {@link planRules}. */
export function compileRules(
  rules: readonly Rule[],
): { ok: true; value: RuleSet } | { ok: false; error: RuleFault } {
  const plan = planRules(rules);
  if (!plan.ok) return plan;
  const ruleAt = (number: number): Rule => rules[number] as Rule;
  return {
    ok: true,
    value: { ruleAt, plan: plan.value, automaton: openAutomaton(plan.value.automaton), tried: [] },
  };
}

/**
 * Plans one automaton for rules; the first rule outside the linear-safe subset is refused.
 *
 * The subset: printable anchors of 2 to 40 characters, of which ASCII is met in either case; runs with bounds up to
 * {@link openMax}; a run of variable length is never followed by something that could also
 * belong to it, so that one forward walk without backtracking decides every token.
 */
export function planRules(
  rules: readonly Rule[],
): { ok: true; value: RulePlan } | { ok: false; error: RuleFault } {
  const numbersByText = new Map<string, number[]>();
  for (const [number, rule] of rules.entries()) {
    const fault = faultOf(rule);
    if (fault !== undefined) return { ok: false, error: { ruleId: rule.id, kind: fault } };
    for (const anchor of plantedOf(rule)) {
      const folded = anchor.toLowerCase();
      const known = numbersByText.get(folded);
      if (known === undefined) numbersByText.set(folded, [number]);
      else known.push(number);
    }
  }
  const anchors = [...numbersByText.keys()];
  const numbers = [...numbersByText.values()];
  return {
    ok: true,
    value: {
      automaton: planAutomaton(anchors),
      anchorLengths: textOf(anchors.map((anchor) => anchor.length)),
      ruleStarts: textOf(
        startsOf(
          numbers.map((each) => each.length),
          0,
        ),
      ),
      ruleNumbers: textOf(numbers.flat()),
    },
  };
}

function anchorsOf(rule: Rule): readonly string[] {
  return "scan" in rule ? rule.anchors : [rule.anchor];
}

/** What the automaton looks for: token rules compare the rest of their anchor themselves. */
function plantedOf(rule: Rule): readonly string[] {
  return "scan" in rule ? rule.anchors : [rule.anchor.slice(0, plantedCharsMax)];
}

function faultOf(rule: Rule): RuleFault["kind"] | undefined {
  if (!kindPattern().test(rule.kind)) return "kind";
  if (!anchorsOf(rule).every((anchor) => anchorPattern().test(anchor))) return "anchor";
  if ("scan" in rule) return rule.anchors.length === 0 ? "empty" : undefined;
  if (rule.body.length === 0) return "empty";
  const runs = rule.body.filter((part): part is Run => typeof part !== "string");
  if (rule.before !== undefined) runs.push(rule.before);
  if (!runs.every((each) => each.min >= 0 && each.min <= each.max && each.max <= openMax)) {
    return "bounds";
  }
  return rule.body.some((part, index) => overlapsNext(part, rule.body[index + 1]))
    ? "overlap"
    : undefined;
}

function overlapsNext(part: Part, next: Part | undefined): boolean {
  if (typeof part === "string" || next === undefined || part.min === part.max) return false;
  if (typeof next !== "string") return (part.mask & next.mask) !== 0;
  return next.length === 0 || isAt(next, 0, part.mask);
}
