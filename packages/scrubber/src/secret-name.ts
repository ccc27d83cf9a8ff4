import { wordsOf } from "./name-words.ts";
import { isVendorWord } from "./named-kinds.ts";

/** What a name promises about the value beside it. */
export interface SecretName {
  readonly family: "password" | "token" | "key";
  /** Written like an environment variable, so that a bare value is a value and not code. */
  readonly isEnv: boolean;
  /** The name itself names a vendor or purpose, such as `aws` or `stripe`. */
  readonly owner?: string | undefined;
  /** Weak words (`auth`, `pass`) ask for a value that could be nothing else. */
  readonly isWeak: boolean;
  /** The name promises only what a named kind describes, such as a key store in base64. */
  readonly asksShape: boolean;
  /** The name says so little that only a value which could be nothing but a secret will do. */
  readonly isVague?: boolean;
}

// Whole last words of a name, second words after `pass`, and endings of a last word.
const passwordOnly: ReadonlySet<string> = new Set(["pass", "pw"]);
const tokenOnly: ReadonlySet<string> = new Set(["auth", "pat"]);
const shapedOnly: ReadonlySet<string> = new Set(["pfx", "p12", "keystore", "jks", "id"]);
const passEnds = new Set(["phrase", "word"]);
const passwordWords = [
  "password", "passwd", "passwort", "pwd", "passphrase", "pswd", "passcode", "pgpass", "smtppass",
  "dbpass", "requirepass", "psk", "userpass", "upass", "rootpass", "mailpass", "storepass", "keypass", "kennwort",
  "bindpw", "rootpw", "pgpw", "dbpw", "adminpw", "userpw", "ftppw", "sshpw", "mailpw", "smtppw",
  "bindpasswd", "authtok", "wachtwoord", "senha", "contrasena", "contraseña", "motdepasse", "passe", "haslo", "losenord",
]; // prettier-ignore
const tokenWords = [
  "token",
  "secret",
  "credential",
  "credentials",
  "creds",
  "secrets",
  "mnemonic",
  "totp",
];
const keyWords = [
  "apikey", "accesskey", "secretkey", "privatekey", "accountkey", "authkey", "signingkey",
  "passwordsalt", "passwordsaltmain", "authsalt", "securesalt",
]; // prettier-ignore

/** What is mixed into hashes: a secret where a setting in capitals, or its owner, says so. */
const mixed: ReadonlySet<string> = new Set(["salt", "pepper"]);
const mixers: ReadonlySet<string> = new Set([
  "auth", "in", "nonce", "hash", "hashids", "password", "cookie", "security", "secret", "session",
  "encryption", "app", "token", "jwt", "api", "key", "csrf", "secure",
]); // prettier-ignore

const suffixes = new Set([
  "value", "val", "text", "plain", "raw", "prod", "production", "dev", "development", "test",
  "staging", "live", "old", "new", "current", "previous", "backup", "primary", "secondary",
  "default", "base", "b64", "base64", "hex", "env", "string", "str", "local", "confirmation",
  "confirm", "again", "repeat", "repeated",
]); // prettier-ignore

/** A form asks twice, and what asks again is a label as often as a value. */
const asksTwice = new Set(["confirmation", "confirm", "again", "repeat", "repeated"]);

const keyOwners = new Set([
  "api", "secret", "access", "private", "encryption", "encrypt", "signing", "signature", "master",
  "auth", "authorization", "raw", "app", "account", "storage", "shared", "client", "service", "server", "admin", "deploy",
  "license", "webhook", "hmac", "jwt", "cipher", "aes", "subscription", "functions", "function",
  "root", "session", "decryption", "integration", "write", "ingest", "recovery", "cookie", "data",
  "preshared", "validation", "nonce", "in", "psk", "consumer", "application", "rails", "vault", "unseal", "user", "project",
  "team", "org", "management", "wallet", "host", "personal", "developer", "connection", "ssh",
  "fernet", "totp", "otp", "mfa", "local", "aead", "chacha", "nacl", "secretbox", "jwe", "jws",
  "enrollment", "enrolment", "activation", "registration", "provisioning", "ingestion", "product",
]); // prettier-ignore

/** Whose session a variable holds: managers of secrets, and programs that log in as a user. */
const sessionOwners =
  " bw bitwarden op lpass lastpass fastlane spaceship apple keeper dashlane vault okta tsh aoc leetcode telegram telethon pyrogram instagram linkedin chatgpt cookie login auth user web jira gitlab github ";

/** What a variable called `…_KEY` names beside secrets: places of data, and keys that are public. */
const plainKeyWords =
  " gpg pgp apt rpm yum dnf deb repo release row map object file blob item record state lock redis index lookup group join unique natural composite shard route routing message topic event trace span build artifact commit revision tag image layer content known fingerprint thumbprint column field dict hot hotkey shortcut press arrow enter escape cert certificate issuer verification bucket path name node peer entity resource asset snapshot chunk step feature flag config setting locale i18n translation label dedupe correlation request query table user job task queue batch metric stack version source target parent child root report ssh host trusted ca jwks kid id site measurement maps store storage issue project board ticket space epic component module package meta ";

/** Vendors whose keys have shapes; those of named kinds are known by their words. */
const vendors = new Set([
  "openai", "anthropic", "groq", "gemini", "azure", "stripe", "gitlab", "perplexity", "replicate",
  "huggingface", "elevenlabs", "pinecone", "langsmith", "sendgrid", "mailgun", "tavily", "brave",
  "netlify", "supabase", "slack", "newrelic", "sonar", "cursor", "xai", "grafana", "mapbox",
  "shopify", "square", "databricks", "firecrawl", "openrouter", "cerebras", "nvidia", "voyage",
  "jina", "langfuse", "helicone",
]); // prettier-ignore

const innocent = new Set([
  "public", "pub", "hash", "hashed", "digest", "checksum", "policy", "next", "page", "continuation",
  "cancel", "cancellation", "syntax", "design", "css", "stop", "eos", "bos", "pad", "unk", "mask",
  "primary", "foreign", "sort", "partition", "hash", "range", "cache", "idempotency", "sync",
  "no", "has", "is", "invalid", "missing", "show", "hide", "forgot", "toggle", "verify", "min",
  "max", "num", "count", "total", "per", "estimated", "start", "end", "type", "kind", "lexer",
]); // prettier-ignore

/** What tables and caches call a key of theirs; a password may be the primary one of two. */
const ofKeys: ReadonlySet<string> = new Set(["primary", "foreign", "sort", "partition", "range"]);

/**
 * Reads a name and says what its value is expected to be, or nothing if the name promises no
 * secret. The name must end in a secret word (`db_password`, `API-Token`, `clientSecret2`), so
 * that `token_type`, `max_tokens` and `primary_key` stay.
 */
export function readSecretName(name: string): SecretName | undefined {
  const place = placeOf(name);
  if (names[place] === name) return readings[place];
  const reading = classifyName(name);
  names[place] = name;
  readings[place] = reading;
  return reading;
}

/**
 * Names recur by the thousand in code and logs, and reading one costs more than all the rest. Each
 * has one place, which the next name with the same place takes: to compare two names costs less
 * than to hash one.
 */
const namesMax = 1024;
const names: (string | undefined)[] = [];
const readings: (SecretName | undefined)[] = [];

function placeOf(name: string): number {
  const { length } = name;
  const mixed =
    length +
    17 * name.charCodeAt(0) +
    71 * name.charCodeAt(length >> 1) +
    253 * name.charCodeAt(length >> 2) +
    599 * name.charCodeAt(length - 1);
  return (mixed | 0) % namesMax;
}

/** One of these is in the last word of every name that promises a secret. */
const signs = [
  "pass", "pw", "pswd", "token", "secret", "credential", "mnemonic", "auth", "key", "pat", "pfx",
  "p12", "jks", "psk", "kennwort", "wachtwoord", "senha", "contrase", "haslo", "losenord",
  "creds", "salt", "pepper", "totp", "signature", "login", "session", "cookie", "private", "signing",
]; // prettier-ignore

function classifyName(name: string): SecretName | undefined {
  // Most names promise nothing; taking them apart compiles eight expressions.
  const folded = name.toLowerCase();
  if (!signs.some((sign) => folded.includes(sign))) return undefined;
  const isEnv = /^[A-Z][A-Z0-9_]+$/.test(name);
  const words = signs.includes(name) ? [name] : ownWords(name, isEnv);
  const isAgain = asksTwice.has(words.at(-1) ?? "");
  withoutSuffixes(words);
  const last = singular(words.at(-1) ?? "");
  if (last === "" || isInnocentName(words, last)) return undefined;
  const family = familyOf(last, words.slice(0, -1)) ?? familyOfOther(words, isEnv, folded);
  if (family === undefined) return undefined;
  return {
    family: family === "vague" ? "key" : family,
    isEnv,
    owner: words.find(isVendor),
    isWeak: isAgain || isWeakWord(last) || last !== words.at(-1),
    asksShape: shapedOnly.has(last),
    isVague: family === "vague",
  };
}

/** What a name promises by its whole: variables by whose they are, devices of a network by how a key is written. */
function familyOfOther(
  words: readonly string[],
  isEnv: boolean,
  folded: string,
): "password" | "token" | "vague" | undefined {
  return familyOfVariable(words, isEnv) ?? (/key[-_]string$/.test(folded) ? "vague" : undefined);
}

/** The words of a name, without those that say what a variable's value is for: `PASSWORD_FOR_X`. */
function ownWords(name: string, isEnv: boolean): string[] {
  const words = wordsOf(name);
  const place = isEnv ? words.indexOf("for") : -1;
  return place > 0 ? words.slice(0, place) : words;
}

function withoutSuffixes(words: string[]): void {
  while (words.length > 1 && isSuffix(words.at(-1) ?? "")) words.pop();
}

/** What has a private half, or is signed, where a variable says no more of its key. */
const signedWith =
  " jwt jws rsa ecdsa ed25519 eddsa vapid webhook app application oauth saml token auth cookie session hmac url request license ";

/** What a variable of the environment promises by what it is of: `OP_SESSION_my`, `CENSUS_KEY`. */
function familyOfVariable(
  words: readonly string[],
  isEnv: boolean,
): "password" | "token" | "vague" | undefined {
  const last = words.at(-1) ?? "";
  if (words[0] === "op" && words[1] === "session" && last !== "id") return "token";
  if (last === "session") return sessionOwners.includes(` ${words.at(-2)} `) ? "token" : undefined;
  return isEnv ? familyOfEnv(words, last) : undefined;
}

function familyOfEnv(words: readonly string[], last: string): "password" | "vague" | undefined {
  if (last === "sshpass") return "password";
  if (last === "private" || last === "signing") {
    return signedWith.includes(` ${words.at(-2)} `) ? "vague" : undefined;
  }
  if (last !== "key" || words.length < 2) return undefined;
  return words.some((word) => plainKeyWords.includes(` ${word} `)) ? undefined : "vague";
}

/** What is mixed into a hash is none. */
function isInnocentName(words: readonly string[], last: string): boolean {
  if (last === "id" && !isRoleSecret(words)) return true;
  // What a sealed secret holds under its names, only its cluster can read.
  if (words[words.indexOf("encrypted") + 1] === "data" && words.includes("encrypted")) return true;
  const isOfKey = last.startsWith("key");
  return words.some((word) => innocent.has(word) && !(word === "hash" && mixed.has(last)) && (isOfKey || !ofKeys.has(word))); // prettier-ignore
}

/** What Vault and Consul call a secret; elsewhere it is the number of one. */
function isRoleSecret(words: readonly string[]): boolean {
  return words.length === 2 || /^(?:vault|approle|role|consul|nomad)$/.test(words[0] as string);
}

/** Several of a kind in one list: `tokens`, `passwords`. */
function singular(word: string): string {
  return /(?:token|password|passphrase|passwd)s$/.test(word) ? word.slice(0, -1) : word;
}

function isWeakWord(last: string): boolean {
  return weak.has(last) || mixed.has(last);
}

const weak: ReadonlySet<string> = new Set(["auth", "pass", "pw", "key", "pat", "session"]);

export function isVendor(word: string): boolean {
  return vendors.has(word) || isVendorWord(word);
}

function familyOf(last: string, before: readonly string[]): SecretName["family"] | undefined {
  const owner = before.at(-1) ?? "";
  if (owned[last] !== undefined) return owned[last](owner);
  if (isOne(last, passwordOnly, passwordWords)) return "password";
  if (owner === "pass" && passEnds.has(last)) return "password";
  if (isOne(last, tokenOnly, tokenWords)) return "token";
  if (isOne(last, shapedOnly, keyWords)) return "key";
  return last === "key" || last === "keys" ? familyOfKey(owner, before) : undefined;
}

/** What two sides share is a password, often one that was made up. */
function familyOfKey(owner: string, before: readonly string[]): "password" | "key" | undefined {
  if (
    owner === "plaintext" ||
    owner === "preshared" ||
    (owner === "shared" && before.at(-2) === "pre")
  )
    return "password";
  return isKeyOwner(owner, before) ? "key" : undefined;
}

/** Words that promise a secret after some others only. */
const owned: Readonly<Record<string, (owner: string) => SecretName["family"] | undefined>> = {
  salt: (owner) => (mixers.has(owner) ? "key" : undefined),
  pepper: () => "key",
  auth: (owner) => (stores.has(owner) ? "password" : "token"),
  cookie: (owner) => (owner === "erlang" ? "token" : undefined),
  signature: (owner) => (owner === "oauth" ? "token" : undefined),
  id: (owner) => (owner === "secret" ? "token" : undefined),
  login: (owner) => (owner.endsWith("sonar") ? "token" : undefined),
};

/** Servers that take a password and no user. */
const stores: ReadonlySet<string> = new Set([
  "redis",
  "valkey",
  "keydb",
  "sentinel",
  "requirepass",
]);

/** Whose a key is; a header of one's own (`X-Custom-Key`) is for one thing. */
function isKeyOwner(owner: string, before: readonly string[]): boolean {
  if (before[0] === "x" && before.length > 1) return true;
  return keyOwners.has(owner) || isVendor(owner);
}

function isOne(word: string, whole: ReadonlySet<string>, endings: readonly string[]): boolean {
  return whole.has(word) || endings.some((ending) => word.endsWith(ending));
}

function isSuffix(word: string): boolean {
  return suffixes.has(word) || /^[0-9]+$/.test(word);
}
