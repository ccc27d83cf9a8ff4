import { readsAsFiller } from "./checks/randomness.ts";
import { wordsOf } from "./name-words.ts";
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
import { hasShape } from "./shape.ts";

let known: readonly NamedKind[] | undefined;

/**
 * Every kind that goes by its name alone; vendors come before purposes, and the first that fits is
 * it. Put together at the first call: a process that meets no such name does without.
 */
export function namedKinds(): readonly NamedKind[] {
  known ??= families.flatMap((family) => family());
  return known;
}

const families: readonly (() => readonly NamedKind[])[] = [
  awsNames,
  googleNames,
  azureNames,
  codeHostNames,
  aiProviderNames,
  packageRegistryNames,
  paymentNames,
  messagingNames,
  hostingNames,
  databaseNames,
  secretsManagerNames,
  observabilityNames,
  identityNames,
  ciNames,
  collaborationNames,
  cryptocurrencyNames,
  privateKeyNames,
  frameworkNames,
];

/** No shape is shorter, or holds other characters: most values need no further look. */
const namedCharsMin = 16;
const shaped = /^[\w+/=.:|~-]+$/;
const namesMax = 2048;
const kindsByName = new Map<string, readonly NamedKind[]>();
let vendors: ReadonlySet<string> | undefined;
/** Vendors named like other things: a `lineKey` or `metaKey` is no credential. */
const commonWords: ReadonlySet<string> = new Set([
  "line", "here", "meta", "scale", "join", "ghost", "sauce", "comet", "segment", "box", "zoom",
  "drone", "bird", "spaces", "together", "certificate", "crypto", "sign", "rocket", "monday",
]); // prettier-ignore

/** Gives the kind that a value is under a name, if it looks as that vendor writes it. */
export function findNamedKind(name: string, value: string): NamedKind | undefined {
  if (value.length < namedCharsMin || !shaped.test(value)) return undefined;
  const fits = ({ shapes }: NamedKind): boolean => shapes.some((shape) => hasShape(value, shape));
  const kind = kindsUnder(name).find(fits);
  return kind === undefined || readsAsFiller(value) ? undefined : kind;
}

/** Whether a word of a name is one of a vendor's. */
export function isVendorWord(word: string): boolean {
  vendors ??= new Set(namedKinds().flatMap(({ words }) => (words[0] ?? "").split("|")));
  return vendors.has(word) && !commonWords.has(word);
}

/** Kinds whose words a name holds. Names recur, and there are few of them. */
function kindsUnder(name: string): readonly NamedKind[] {
  const known = kindsByName.get(name);
  if (known !== undefined) return known;
  const joined = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const parts = wordsOf(name);
  // Long words are met in any spelling (`New-Relic`); short ones would be met in other words.
  const holds = (word: string): boolean =>
    word.length >= 5 || /\d/.test(word) ? joined.includes(word) : parts.includes(word);
  const kinds = namedKinds().filter(({ words }) =>
    words.every((each) => each.split("|").some(holds)),
  );
  if (kindsByName.size >= namesMax) kindsByName.clear();
  kindsByName.set(name, kinds);
  return kinds;
}
