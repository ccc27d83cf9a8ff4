import { catalog } from "./catalog.ts";
import { compileRules, type RuleSet } from "./compile.ts";

let compiled: RuleSet | undefined;

/**
 * Gives the catalogue ready for a scan, compiled at the first call. A build puts the same rules,
 * planned and packed, in this module's place: compiling takes a cold process milliseconds.
 */
export function compiledCatalog(): RuleSet {
  compiled ??= compileCatalog();
  return compiled;
}

function compileCatalog(): RuleSet {
  const result = compileRules(catalog);
  if (!result.ok) throw new Error(`rule ${result.error.ruleId} is refused: ${result.error.kind}`);
  return result.value;
}
