import { compileRules, openRules, type RuleSet } from "./compile.ts";
import { catalogPlan } from "./catalog-plan.ts";
import type { Rule } from "./rule.ts";
import { aiProviderRules } from "./rules/ai-providers.ts";
import { assignmentRules } from "./rules/assignments.ts";
import { awsRules } from "./rules/cloud-aws.ts";
import { azureRules } from "./rules/cloud-azure.ts";
import { googleRules } from "./rules/cloud-google.ts";
import { codeHostRules } from "./rules/code-hosts.ts";
import { commandLineRules } from "./rules/command-lines.ts";
import { headerAndUrlRules } from "./rules/headers-and-urls.ts";
import { passwordHashRules } from "./rules/password-hashes.ts";
import { privateKeyRules } from "./rules/private-keys.ts";
import { structureRules } from "./rules/structure.ts";
import { tokenRules } from "./rules/tokens.ts";
import { vendorRules } from "./rules/vendors.ts";

/** Every rule the scrubber knows; a new kind is one entry in one family. */
export const catalog: readonly Rule[] = [
  ...structureRules,
  ...privateKeyRules,
  ...awsRules,
  ...googleRules,
  ...azureRules,
  ...codeHostRules,
  ...aiProviderRules,
  ...vendorRules,
  ...passwordHashRules,
  ...tokenRules,
  ...headerAndUrlRules,
  ...assignmentRules,
  ...commandLineRules,
];

let compiled: RuleSet | undefined;

/** Gives the compiled catalogue, built at the first call. */
export function compiledCatalog(): RuleSet {
  if (compiled !== undefined) return compiled;
  compiled = catalogPlan === undefined ? compileCatalog() : openRules(catalog, catalogPlan);
  return compiled;
}

function compileCatalog(): RuleSet {
  const result = compileRules(catalog);
  if (!result.ok) throw new Error(`rule ${result.error.ruleId} is refused: ${result.error.kind}`);
  return result.value;
}
