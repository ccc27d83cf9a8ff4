import { reach, type Automaton } from "./automaton.ts";
import type { RuleSet } from "./compile.ts";
import type { Scan } from "./scan.ts";
import { matchToken } from "./token-match.ts";

/** Runs every rule over a text, or the windows of it that are looked at, in one pass and leaves candidates and atoms in the scan. */
export function runPass(scan: Scan, rules: RuleSet): void {
  const { text } = scan;
  for (const { start, end } of scan.windows ?? [{ start: 0, end: text.length }]) {
    const walk: Walk = { automaton: rules.automaton, text, state: 0, end: start, stop: end };
    while (toNextAnchor(walk)) tryRules(scan, rules, walk);
  }
}

interface Walk {
  readonly automaton: Automaton;
  readonly text: string;
  state: number;
  /** Place after the last character that was read. */
  end: number;
  readonly stop: number;
}

/**
 * Reads on to the end of an anchor. The loop stands apart from what is done there, so that an
 * engine that compiles it in mid-run compiles a few lines and not the scanners.
 */
function toNextAnchor(walk: Walk): boolean {
  const { automaton, text } = walk;
  const { columns, table } = automaton;
  const { stop } = walk;
  let state = walk.state;
  for (let at = walk.end; at < stop; at++) {
    const cell = state + (columns[text.charCodeAt(at)] as number);
    state = table[cell] as number;
    if (state >= 0) continue;
    state = ~state;
    if (!reach(automaton, cell, state)) continue;
    walk.state = state;
    walk.end = at + 1;
    return true;
  }
  return false;
}

function tryRules(scan: Scan, set: RuleSet, at: Readonly<Walk>): void {
  const { plan, automaton } = set;
  const { outputs, outputStarts } = plan.automaton;
  const state = at.state / automaton.stride;
  const last = outputStarts.charCodeAt(state + 1);
  for (let output = outputStarts.charCodeAt(state); output < last; output++) {
    const anchor = outputs.charCodeAt(output);
    const start = at.end - plan.anchorLengths.charCodeAt(anchor);
    const end = plan.ruleStarts.charCodeAt(anchor + 1);
    for (let place = plan.ruleStarts.charCodeAt(anchor); place < end; place++) {
      const rule = set.ruleAt(plan.ruleNumbers.charCodeAt(place));
      if (!("scan" in rule)) matchToken(scan, rule, start);
      else if (!(scan.shapesOnly && rule.contextual === true)) {
        rule.scan(scan, { start, end: at.end, rule });
      }
    }
  }
}
