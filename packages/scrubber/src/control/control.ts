import { compileRules, type RuleSet } from "../compile.ts";
import type { Hint } from "../finding.ts";
import { runPass } from "../pass.ts";
import { type Scan, spend } from "../scan.ts";
import type { Span } from "../spans.ts";
import type { Tagger } from "../tagger.ts";
import { type Allow, compileAllow, faultsOfAllow, spansToTake } from "./allow.ts";
import { ControlError, type ControlFault } from "./fault.ts";
import {
  faultsOfLiterals,
  type LiteralSearch,
  scanBareLiterals,
  searchLiterals,
} from "./literals.ts";
import { readUserRules, type UserRule } from "./user-rule.ts";

/** What a user asks for on top of the catalogue. */
export interface Control {
  /** Exact texts to take out wherever they stand, also escaped in JSON and in URLs; case counts. */
  readonly literals?: readonly string[];
  /** Tokens of the user's own. */
  readonly rules?: readonly UserRule[];
  /** What stays. */
  readonly allow?: Allow;
}

/** What a user has asked for, made ready. */
export interface ReadyControl {
  /** Looks for what the user named, after the catalogue's pass. */
  readonly find: ((scan: Scan) => void) | undefined;
  /** Gives the stretches to replace. */
  readonly choose: (scan: Scan, look: { tagOf: Tagger; hint: Hint }) => readonly Span[];
  /** Numbers of JSON are looked at as texts: a literal is one. */
  readonly readsNumbers: boolean;
}

/** Says all that is wrong with what a user asks for; nothing where `createScrubber` takes it. */
export function faultsOfControl(control: Control): readonly ControlFault[] {
  const rules = readUserRules(control.rules ?? []);
  return [
    ...faultsOfLiterals(control.literals ?? []),
    ...(rules.ok ? [] : rules.error),
    ...faultsOfAllow(control.allow ?? {}),
  ];
}

/** Makes ready what a user asks for. Throws a {@link ControlError} with every fault in it. */
export function readyControl(control: Control): ReadyControl {
  const { literals = [], rules = [], allow = {} } = control;
  const faults = faultsOfControl(control);
  if (faults.length > 0) throw new ControlError(faults);
  const list = compileAllow(allow);
  const choose = (scan: Scan, look: { tagOf: Tagger; hint: Hint }): readonly Span[] =>
    spansToTake(scan, list, look);
  if (literals.length + rules.length === 0) return { find: undefined, choose, readsNumbers: false };
  const search = searchLiterals(literals);
  const set = ruleSet(search, rules);
  const find = (scan: Scan): void => {
    spend(scan, scan.text.length);
    runPass(scan, set);
    scanBareLiterals(scan, search);
  };
  return { find, choose, readsNumbers: search.hasNumber };
}

function ruleSet(search: LiteralSearch, rules: readonly UserRule[]): RuleSet {
  const tokens = readUserRules(rules);
  const compiled = compileRules([...search.rules, ...(tokens.ok ? tokens.value : [])]);
  // Each rule has been read before; what fails here is a fault of this program.
  if (!compiled.ok) throw new Error(`rule ${compiled.error.ruleId}: ${compiled.error.kind}`);
  return compiled.value;
}
