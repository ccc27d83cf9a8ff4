import type { RuleSet, Tried } from "./compile.ts";
import type { Window } from "./rescan.ts";
import type { Rule } from "./rule.ts";
import type { Scan } from "./scan.ts";
import { matchToken } from "./token-match.ts";
import { blockChars, forEachEnd, openWalk, startWalk, type Walk, walkBlock } from "./walk.ts";

/** Room for a walk; a pass takes it, and leaves it to the next. */
let room: Walk | undefined;

/** Runs every rule over a text, or the windows of it that are looked at, in one pass and leaves candidates and atoms in the scan. */
export function runPass(scan: Scan, rules: RuleSet): void {
  const walk = room ?? openWalk(rules.automaton);
  room = undefined;
  if (scan.windows === undefined) passOver(scan, rules, walk, { start: 0, end: scan.text.length });
  else for (const window of scan.windows) passOver(scan, rules, walk, window);
  room = walk;
}

function passOver(scan: Scan, rules: RuleSet, walk: Walk, { start, end }: Window): void {
  startWalk(walk, rules.automaton);
  for (let from = start; from < end; from += blockChars) {
    walkBlock(walk, scan.text, from, Math.min(end, from + blockChars));
    forEachEnd(walk, (at, state) => tryRules(scan, rules, state, from + at));
  }
}

function tryRules(scan: Scan, set: RuleSet, state: number, end: number): void {
  const all = (set.tried[set.automaton.rows[state] as number] ??= triedAt(set, state));
  for (let index = 0; index < all.length; index++) {
    const { token, scanner, isContextual, chars } = all[index] as Tried;
    const start = end - chars;
    if (token !== undefined) matchToken(scan, token, start);
    else if (scanner !== undefined && !(isContextual && scan.shapesOnly)) {
      scanner.scan(scan, { start, end, rule: scanner });
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
      tried.push(triedOf(ruleAt(plan.ruleNumbers.charCodeAt(place)), chars));
    }
  }
  return tried;
}

function triedOf(rule: Rule, chars: number): Tried {
  const isScanner = "scan" in rule;
  return {
    token: isScanner ? undefined : rule,
    scanner: isScanner ? rule : undefined,
    isContextual: isScanner && rule.contextual === true,
    chars,
  };
}
