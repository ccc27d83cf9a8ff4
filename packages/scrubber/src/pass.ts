import type { RuleSet } from "./compile.ts";
import type { Rule } from "./rule.ts";
import type { Scan } from "./scan.ts";
import { matchToken } from "./token-match.ts";

/** Runs every rule over a text in one pass and leaves candidates and atoms in the scan. */
export function runPass(scan: Scan, rules: RuleSet): void {
  const { text } = scan;
  const { columns, table } = rules.automaton;
  const length = text.length;
  let state = 0;
  for (let at = 0; at < length; at++) {
    state = table[state + (columns[text.charCodeAt(at)] as number)] as number;
    if (state < 0) {
      state = ~state;
      tryRules(scan, rules, { state, end: at + 1 });
    }
  }
}

function tryRules(scan: Scan, rules: RuleSet, at: { state: number; end: number }): void {
  const anchors = rules.automaton.outputs[at.state / rules.automaton.stride];
  if (anchors === undefined) return;
  for (const anchor of anchors) {
    const start = at.end - (rules.anchorLengths[anchor] as number);
    for (const rule of rules.rulesByAnchor[anchor] as readonly Rule[]) {
      if (!("scan" in rule)) matchToken(scan, rule, start);
      else if (!(scan.shapesOnly && rule.contextual === true)) {
        rule.scan(scan, { start, end: at.end, rule });
      }
    }
  }
}
