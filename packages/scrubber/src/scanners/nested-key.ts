import { decodeBase64, isPrintable } from "../checks/base64.ts";
import { isMixed } from "../checks/randomness.ts";
import { isPath } from "../judge.ts";
import { wordsOf } from "../name-words.ts";
import { type Scan, spend } from "../scan.ts";
import { isVendor, type SecretName } from "../secret-name.ts";
import { isBase64Key, isUuid } from "../strength.ts";
import type { Named } from "./named-value.ts";

const reachChars = 320;
/** What a `key` in it is a secret of. */
const holders: ReadonlySet<string> = new Set([
  "crypt", "encryption", "encrypt", "encrypter", "jwt", "api", "signing", "secret", "secrets", "hmac",
  "cipher", "aes", "tuya", "localtuya", "webhook", "license", "token", "security", "credentials", "private", "auth",
]); // prettier-ignore
const nested: SecretName = {
  family: "key",
  isEnv: false,
  owner: undefined,
  isWeak: true,
  asksShape: false,
};
const drawn = (): RegExp =>
  /^\\{0,15}["'\]]?\)?\s{0,4}(?:=>|[:=]|\?\?|\|\||,)\s{0,4}\\{0,15}["'`]?([\w+/.!@#$%^&*?~-]{16,}={0,2})/;

/** Gives what a bare `key` promises by what it stands in (`jwt: { key: … }`, `[jwt]`), if its value looks drawn. */
export function nestedKey(scan: Scan, name: Named): SecretName | undefined {
  const { text } = scan;
  const start = name.end - 3;
  if (!isKey(text, name.start, start)) return undefined;
  spend(scan, 8);
  if (isDeclaredKey(text, name)) return nested;
  const value = drawn().exec(text.slice(name.end, name.end + 96))?.[1];
  if (value === undefined) return undefined;
  const isOdd = isDrawn(value);
  if (!isOdd && !isHex(value)) return undefined;
  spend(scan, reachChars);
  const before = text.slice(Math.max(0, start - reachChars), start);
  if (isHex(value) && isEncrypted(before)) return nested;
  return isOdd && isKeyThere(before, value, start === name.start) ? nested : undefined;
}

/** Whether what stands before a `key` makes a drawn value one, or the value can be no other. */
function isKeyThere(before: string, value: string, isBare: boolean): boolean {
  if (isBare && isBytes(value) && !isPublic(before)) return true;
  return lookups().test(before) || isHeld(before);
}

function isHex(value: string): boolean {
  return /^[\dA-F]{16,64}$/.test(value) && /\d/.test(value);
}

/** The line before says by which sort the key is encrypted, as devices of a network number them. */
function isEncrypted(before: string): boolean {
  return /encryption(?:[-_]type)?\\{0,15}["']?\s{0,4}[:=]\s{0,4}["']?\d["']?,?\s{1,32}\\{0,15}["']?$/.test(before); // prettier-ignore
}

/** Base64 of as many bytes as keys have, and none of a text, as stores of keys show one of theirs. */
function isBytes(value: string): boolean {
  if (!value.endsWith("=") || !isBase64Key(value)) return false;
  const bytes = decodeBase64(value);
  return bytes.length >= 16 && bytes.length <= 64 && !isPrintable(bytes);
}

function isPublic(before: string): boolean {
  return /pub(?:lic)?|verif|trusted|hash|digest|checksum/i.test(before.slice(-80));
}

/** Calls that make bytes of a text, in which a key is written. */
const decoders = (): RegExp =>
  /^(?:\[\])?\s{0,4}(?::?=)\s{0,4}(?:await |new )?(?:[\w.:]{0,32}(?:fromhex|unhexlify|DecodeString|FromHexString|FromBase64String|HexToByteArray|hexToBytes|decodeHex|parseHex(?:Binary)?|b64decode|hex2bin|Hex\.decode|Hex\.parse|Base64\.decode)|Buffer\.from)!?\(\s{0,4}[bB]?["']([\w+/=-]{32,128})["']/;
const declared = (): RegExp => /^(?:\[\d{0,3}\])?\s{0,4}=\s{0,4}["']([\w+/]{21,86}={0,2})["']/;
const declarers = (): RegExp =>
  /\b(?:const|static|final|readonly|private|constexpr|let|var|val|string|String|char)\b[\w\s<>[\]*]{0,48}$/;

/** Whether a constant called `key` is made from bytes, or is as long in base64 as keys of ciphers are. */
function isDeclaredKey(text: string, { start, end }: Named): boolean {
  if (end - start !== 3) return false;
  const after = text.slice(end, end + 208);
  if (/^(?:\[\])?\s{0,4}:?=/.test(after) && /\(\s{0,4}[bB]?["']/.test(after.slice(0, 96))) {
    const bytes = decoders().exec(after)?.[1];
    return bytes !== undefined && isMixed(bytes);
  }
  const value = declared().exec(after)?.[1];
  if (value === undefined || !value.endsWith("=") || !isMixed(value)) return false;
  const bytes = Math.floor((value.replace(/=+$/, "").length * 3) / 4);
  return (
    [16, 32, 64].includes(bytes) && declarers().test(text.slice(Math.max(0, start - 64), start))
  );
}

/** Whether the name is `key`, or the last part of `env.KEY`. */
function isKey(text: string, nameStart: number, start: number): boolean {
  if ((text.charCodeAt(start) | 32) !== 107) return false;
  return start === nameStart || text.startsWith("env.", start - 4);
}

/** What looks a variable of the environment up. */
const lookups = (): RegExp => /\benv(?:iron)?(?:\.|\[\\*["']|\.get\(\\*["'])$|getenv\(\\*["']$/i;

/** Whether a value is neither a path, an identifier nor words with a number. */
function isDrawn(value: string): boolean {
  if (!isMixed(value) || isUuid(value) || (value.includes("/") && isPath(value))) return false;
  return !/^[a-z]+[-_.:/]/i.test(value) || /\d[a-z]+\d/i.test(value);
}

function isHeld(before: string): boolean {
  const holder = pathHolder(before) ?? braceHolder(before) ?? sectionHolder(before) ?? indentHolder(before); // prettier-ignore
  const last = holder === undefined ? undefined : wordsOf(holder).at(-1);
  return last !== undefined && (holders.has(last) || isVendor(last));
}

/** The part before the name in a path of settings: `Jwt:Key`, `Jwt__Key`. */
function pathHolder(before: string): string | undefined {
  return /(?:^|[\s"':_])([A-Za-z][\w-]{1,32}?)(?::|__)$/.exec(before.slice(-48))?.[1];
}

/** The name before the innermost bracket that is open. */
function braceHolder(before: string): string | undefined {
  return /([A-Za-z_][\w-]{1,32})\\{0,15}["']?\s{0,2}(?:=>|[:=])\s{0,2}(?:array)?[{[(][^{}[\]()]{0,240}$/.exec(
    before,
  )?.[1];
}

/** The last section of a file of settings. */
function sectionHolder(before: string): string | undefined {
  if (!/(?:\n|\\n)[ \t]{0,4}$/.test(before)) return undefined;
  const found = [...before.matchAll(/(?:^|\n|\\n|")\[([\w.-]{1,32})\]/g)].at(-1);
  return found?.[1];
}

/** The key of YAML under which a line is indented. */
function indentHolder(before: string): string | undefined {
  const lines = before.split(/\r?\n|\\{1,8}n/);
  const own = lines.pop() ?? "";
  if (!/^[ \t]{1,32}["']?$/.test(own)) return undefined;
  const indent = own.replace(/["']$/, "").length;
  for (const line of lines.toReversed()) {
    const found =
      /^(?:[^\n]*[:[]\s?\\{0,15}"(?=[A-Za-z_]))?([ \t]{0,32})["']?([A-Za-z_][\w.-]{0,40})["']?:\s*(?:&\S+\s*)?$/.exec(
        line,
      );
    if (found !== null && (found[1] ?? "").length < indent) return found[2];
    if (/^\S/.test(line)) return undefined;
  }
  return undefined;
}
