import { reach } from "./automaton.ts";
import type { RuleSet } from "./compile.ts";
import type { Rule } from "./rule.ts";
import type { Scan } from "./scan.ts";
import { matchToken } from "./token-match.ts";

/** Runs every rule over a text in one pass and leaves candidates and atoms in the scan. */
export function runPass(scan: Scan, rules: RuleSet): void {
  const { text } = scan;
  const { automaton } = rules;
  const { columns, table } = automaton;
  const length = text.length;
  let state = 0;
  for (let at = 0; at < length; at++) {
    const cell = state + (columns[text.charCodeAt(at)] as number);
    state = table[cell] as number;
    if (state < 0) {
      state = ~state;
      if (reach(automaton, cell, state)) tryRules(scan, rules, { state, end: at + 1 });
    }
  }
}

function tryRules(scan: Scan, set: RuleSet, at: { state: number; end: number }): void {
  const { rules, plan, automaton } = set;
  const { outputs, outputStarts } = plan.automaton;
  const state = at.state / automaton.stride;
  const last = outputStarts.charCodeAt(state + 1);
  for (let output = outputStarts.charCodeAt(state); output < last; output++) {
    const anchor = outputs.charCodeAt(output);
    const start = at.end - plan.anchorLengths.charCodeAt(anchor);
    const end = plan.ruleStarts.charCodeAt(anchor + 1);
    for (let place = plan.ruleStarts.charCodeAt(anchor); place < end; place++) {
      const rule = rules[plan.ruleNumbers.charCodeAt(place)] as Rule;
      if (!("scan" in rule)) matchToken(scan, rule, start);
      else if (!(scan.shapesOnly && rule.contextual === true)) {
        rule.scan(scan, { start, end: at.end, rule });
      }
    }
  }
}
