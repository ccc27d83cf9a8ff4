/** Runs that base64 or hex may be, each at most this long. */
const runs = (): RegExp => /(?:[0-9a-f]{2}[ :]){12,2000}|[A-Za-z0-9+/_-]{20,4000}={0,2}/giu;

/** Runs of one text that are looked into. */
const runsMax = 16;
/** Texts that one text gives at each of the two depths. */
const textsMax = 12;

/** Texts that stand encoded in a text: base64, hex, percent, tag characters, turned letters. */
export function decodedTexts(text: string): readonly string[] {
  const once = decodedOnce(text).slice(0, textsMax);
  return [...once, ...once.flatMap(decodedOnce).slice(0, textsMax)];
}

function decodedOnce(text: string): readonly string[] {
  const found: string[] = [];
  const tags = tagText(text);
  if (tags.length >= 4) found.push(tags);
  for (const [run] of [...text.matchAll(runs())].slice(0, runsMax)) {
    for (const decoded of [fromHex(run), fromBase64(run)]) {
      if (decoded !== undefined && isSaid(decoded)) found.push(decoded);
    }
  }
  if (text.includes("%20"))
    found.push(...text.split(/\s/u).flatMap((word) => fromPercent(word) ?? []));
  const unescaped = text.replaceAll(escapes(), unescapedOf);
  if (unescaped !== text) found.push(unescaped);
  const unparted = text.replaceAll(parted(), (word) => word.replaceAll(/[^\p{L}]/gu, ""));
  if (unparted !== text) found.push(unparted);
  if (/[\u202D\u202E]/u.test(text)) found.push(Array.from(text).toReversed().join(""));
  if (/rot-?13|caesar/iu.test(text)) found.push(text.replaceAll(/[a-z]/giu, turned));
  if (/reverse|backwards/iu.test(text)) found.push(Array.from(text).toReversed().join(""));
  return found;
}

/** A letter as HTML, JSON and source code write it. */
const escapes = (): RegExp =>
  /&#(\d{2,6});|&#x([0-9a-f]{2,6});|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/giu;

function unescapedOf(found: string, ...codes: readonly (string | undefined)[]): string {
  const [decimal, ...hex] = codes;
  const code =
    decimal === undefined ? Number.parseInt(hex.slice(0, 3).join(""), 16) : Number(decimal);
  return code <= 0x10_ffff ? String.fromCodePoint(code) : found;
}

/** A word whose letters are parted by one sign each. */
const parted = (): RegExp => /(?<!\p{L})\p{L}(?:[-._*]\p{L}){3,30}(?!\p{L})/gu;

function tagText(text: string): string {
  const tags = text.match(/[\u{E0020}-\u{E007E}]/gu) ?? [];
  return tags
    .map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0xe00_20) - 0xe00_00))
    .join("");
}

function fromBase64(run: string): string | undefined {
  return /^[\w+/-]+={0,2}$/.test(run) ? utf8(Buffer.from(run, "base64")) : undefined;
}

function fromHex(run: string): string | undefined {
  const digits = run.replaceAll(/[ :]/g, "");
  return /^[0-9a-f]+$/iu.test(digits) && digits.length % 2 === 0
    ? utf8(Buffer.from(digits, "hex"))
    : undefined;
}

function fromPercent(run: string): string | undefined {
  try {
    return run.includes("%") ? decodeURIComponent(run) : undefined;
  } catch {
    return undefined;
  }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether it is a text that somebody would say: words with spaces between them. */
function isSaid(text: string): boolean {
  if (/\p{Cc}(?<![\n\t\r])/u.test(text)) return false;
  return /\p{L}{2,}\s\p{L}{2,}/u.test(text) || /^[\w+/=-]{24,}$/u.test(text);
}

function turned(letter: string): string {
  const code = letter.charCodeAt(0);
  const first = code >= 97 ? 97 : 65;
  return String.fromCharCode(first + ((code - first + 13) % 26));
}
