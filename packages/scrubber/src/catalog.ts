import type { Rule } from "./rule.ts";
import { addressRules } from "./rules/addresses.ts";
import { aiProviderRules } from "./rules/ai-providers.ts";
import { assignmentRules } from "./rules/assignments.ts";
import { ciRules } from "./rules/ci.ts";
import { awsRules } from "./rules/cloud-aws.ts";
import { azureRules } from "./rules/cloud-azure.ts";
import { googleRules } from "./rules/cloud-google.ts";
import { codeHostRules } from "./rules/code-hosts.ts";
import { collaborationRules } from "./rules/collaboration.ts";
import { commandLineRules } from "./rules/command-lines.ts";
import { cryptocurrencyRules } from "./rules/cryptocurrency.ts";
import { databaseRules } from "./rules/databases.ts";
import { deviceRules } from "./rules/devices.ts";
import { frameworkRules } from "./rules/frameworks.ts";
import { headerAndUrlRules } from "./rules/headers-and-urls.ts";
import { hostingRules } from "./rules/hosting.ts";
import { identityRules } from "./rules/identity.ts";
import { messagingRules } from "./rules/messaging.ts";
import { objectMemberRules } from "./rules/object-members.ts";
import { observabilityRules } from "./rules/observability.ts";
import { packageRegistryRules } from "./rules/package-registries.ts";
import { passwordHashRules } from "./rules/password-hashes.ts";
import { paymentRules } from "./rules/payments.ts";
import { privateKeyRules } from "./rules/private-keys.ts";
import { proseRules } from "./rules/prose.ts";
import { reversibleFormRules } from "./rules/reversible-forms.ts";
import { secretsManagerRules } from "./rules/secrets-managers.ts";
import { structureRules } from "./rules/structure.ts";
import { webTokenRules } from "./rules/web-tokens.ts";

/** Every rule for secrets; a new kind is one entry in one family. */
export const catalog: readonly Rule[] = [
  ...structureRules,
  ...privateKeyRules,
  ...awsRules,
  ...googleRules,
  ...azureRules,
  ...codeHostRules,
  ...aiProviderRules,
  ...packageRegistryRules,
  ...paymentRules,
  ...messagingRules,
  ...addressRules,
  ...hostingRules,
  ...databaseRules,
  ...secretsManagerRules,
  ...observabilityRules,
  ...identityRules,
  ...ciRules,
  ...collaborationRules,
  ...cryptocurrencyRules,
  ...frameworkRules,
  ...passwordHashRules,
  ...reversibleFormRules,
  ...webTokenRules,
  ...headerAndUrlRules,
  ...assignmentRules,
  ...objectMemberRules,
  ...commandLineRules,
  ...deviceRules,
  ...proseRules,
];
