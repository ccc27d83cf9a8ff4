import { readsAsFiller } from "./checks/randomness.ts";
import { catalogNames, vendorWords } from "./catalog-names.ts";
import { wordsOf } from "./name-words.ts";
import type { NamedKind } from "./rule.ts";
import { hasShape } from "./shape.ts";

let known: readonly NamedKind[] | undefined;

/** Every kind that goes by its name alone; a process that meets no name of a secret reads none. */
export function namedKinds(): readonly NamedKind[] {
  known ??= catalogNames();
  return known;
}

/** No shape is shorter, or holds other characters: most values need no further look. */
const namedCharsMin = 16;
const shaped = (): RegExp => /^[\w+/=.:|~-]+$/;
const namesMax = 2048;
const kindsByName = new Map<string, readonly NamedKind[]>();
let vendors: string | undefined;
/** Vendors named like other things: a `lineKey` or `metaKey` is no credential. */
const commonWords: ReadonlySet<string> = new Set([
  "line", "here", "meta", "scale", "join", "ghost", "sauce", "comet", "segment", "box", "zoom",
  "drone", "bird", "spaces", "together", "certificate", "crypto", "sign", "rocket", "monday",
]); // prettier-ignore

/** Names that say no vendor and no purpose: a process that meets no others reads no kinds. */
export const anybodysNames: ReadonlySet<string> = new Set([
  "pass", "password", "passwd", "passphrase", "pwd", "pw", "token", "tokens", "secret", "secrets",
  "key", "keys", "auth", "credentials", "credential", "apikey", "api_key", "api-key", "api_token",
  "secret_key", "secretkey", "client_secret", "clientsecret",
]); // prettier-ignore

function isAnybodys(name: string): boolean {
  return anybodysNames.has(name.toLowerCase());
}

/** Gives the kind that a value is under a name, if it looks as that vendor writes it. */
export function findNamedKind(name: string, value: string): NamedKind | undefined {
  if (value.length < namedCharsMin || isAnybodys(name) || !shaped().test(value)) return undefined;
  const fits = ({ shapes }: NamedKind): boolean => shapes.some((shape) => hasShape(value, shape));
  const kind = kindsUnder(name).find(fits);
  return kind === undefined || readsAsFiller(value) ? undefined : kind;
}

/** Whether a word of a name is one of a vendor's. */
export function isVendorWord(word: string): boolean {
  vendors ??= vendorWords();
  return vendors.includes(` ${word} `) && !commonWords.has(word);
}

/** Kinds whose words a name holds. Names recur, and there are few of them. */
export function kindsUnder(name: string): readonly NamedKind[] {
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
