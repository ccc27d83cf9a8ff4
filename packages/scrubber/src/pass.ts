import type { RuleSet, Tried } from "./compile.ts";
import type { Scan } from "./scan.ts";
import { matchToken } from "./token-match.ts";
import { blockChars, forEachEnd, startWalk, type Walk, walkBlock } from "./walk.ts";

/** What a walk needs, kept for the next one. */
let left: Walk | undefined;

/** Runs every rule over a text, or the windows of it that are looked at, in one pass and leaves candidates and atoms in the scan. */
export function runPass(scan: Scan, rules: RuleSet): void {
  const { text } = scan;
  for (const { start, end } of scan.windows ?? [{ start: 0, end: text.length }]) {
    const walk = startWalk(rules.automaton, left);
    left = undefined;
    for (let from = start; from < end; from += blockChars) {
      walkBlock(walk, text, from, Math.min(end, from + blockChars));
      forEachEnd(walk, (at, state) => tryRules(scan, rules, state, from + at));
    }
    left = walk;
  }
}

function tryRules(scan: Scan, set: RuleSet, state: number, end: number): void {
  for (const { rule, chars } of (set.tried[state] ??= triedAt(set, state))) {
    if (!("scan" in rule)) matchToken(scan, rule, end - chars);
    else if (!(scan.shapesOnly && rule.contextual === true)) {
      rule.scan(scan, { start: end - chars, end, rule });
    }
  }
}

/** What is tried at a state, the longest anchor first. */
function triedAt({ plan, ruleAt }: RuleSet, state: number): readonly Tried[] {
  const { outputs, outputStarts } = plan.automaton;
  const tried: Tried[] = [];
  const last = outputStarts.charCodeAt(state + 1);
  for (let output = outputStarts.charCodeAt(state); output < last; output++) {
    const anchor = outputs.charCodeAt(output);
    const chars = plan.anchorLengths.charCodeAt(anchor);
    const end = plan.ruleStarts.charCodeAt(anchor + 1);
    for (let place = plan.ruleStarts.charCodeAt(anchor); place < end; place++) {
      tried.push({ rule: ruleAt(plan.ruleNumbers.charCodeAt(place)), chars });
    }
  }
  return tried;
}
