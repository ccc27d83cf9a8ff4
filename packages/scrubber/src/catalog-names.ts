import { wordsOfVendors } from "./packed-rules.ts";
import type { NamedKind } from "./rule.ts";
import { aiProviderNames } from "./rules/ai-provider-names.ts";
import { ciNames } from "./rules/ci.ts";
import { awsNames } from "./rules/cloud-aws.ts";
import { azureNames } from "./rules/cloud-azure.ts";
import { googleNames } from "./rules/cloud-google.ts";
import { codeHostNames } from "./rules/code-hosts.ts";
import { collaborationNames } from "./rules/collaboration.ts";
import { cryptocurrencyNames } from "./rules/cryptocurrency.ts";
import { databaseNames } from "./rules/databases.ts";
import { frameworkNames } from "./rules/frameworks.ts";
import { hostingNames } from "./rules/hosting.ts";
import { identityNames } from "./rules/identity.ts";
import { messagingNames } from "./rules/messaging.ts";
import { observabilityNames } from "./rules/observability.ts";
import { packageRegistryNames } from "./rules/package-registries.ts";
import { paymentNames } from "./rules/payments.ts";
import { privateKeyNames } from "./rules/private-keys.ts";
import { secretsManagerNames } from "./rules/secrets-managers.ts";

/**
 * Every kind that goes by its name alone; vendors come before purposes, and the first that fits is
 * it. A build puts the same list as one text in this module's place.
 */
export function catalogNames(): readonly NamedKind[] {
  return [
    ...awsNames(),
    ...googleNames(),
    ...azureNames(),
    ...codeHostNames(),
    ...aiProviderNames(),
    ...packageRegistryNames(),
    ...paymentNames(),
    ...messagingNames(),
    ...hostingNames(),
    ...databaseNames(),
    ...secretsManagerNames(),
    ...observabilityNames(),
    ...identityNames(),
    ...ciNames(),
    ...collaborationNames(),
    ...cryptocurrencyNames(),
    ...privateKeyNames(),
    ...frameworkNames(),
  ];
}

/** The first words of all of them, which are vendors and purposes: each between two blanks. */
export function vendorWords(): string {
  return wordsOfVendors(catalogNames());
}
