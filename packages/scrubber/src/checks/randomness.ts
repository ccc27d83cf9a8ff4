const fillerWords = (): RegExp =>
  /your|example|placeholder|redacted|changeme|change[-_]me|replace|insert|here$|sample|dummy|xxxx|\*\*\*\*|\.\.\.\./i;

/** Whether a token's body is a stand-in (`xxxx`, `your-key-here`, a documented example). */
export function readsAsFiller(body: string): boolean {
  const looked = body.slice(0, 160);
  if (distinctChars(looked, 5) < 5 || isMostlyOneRun(looked)) return true;
  if (/EXAMPLE(?:KEY)?$/.test(looked)) return true;
  if (isMixed(looked)) return fillerWords().test(looked) && !hasDenseRun(looked);
  if (isUnbroken(looked) && !fillerWords().test(looked)) return false;
  return !looksRandom(looked);
}

/** Letters alone, long and without a break: one key in thirty of a base-32 alphabet has no digit. */
function isUnbroken(text: string): boolean {
  return /^[A-Za-z]{16,}$/.test(text);
}

function isMostlyOneRun(text: string): boolean {
  const longest = /(.)\1{7,}/.exec(text)?.[0].length ?? 0;
  return longest * 2 > text.length;
}

/** Whether a text holds a digit and a letter, or letters of both cases with many changes. */
export function isMixed(text: string): boolean {
  return /[0-9]/.test(text) && /[A-Za-z]/.test(text);
}

/** Whether a run of letters and digits is too dense in digits or case changes to be words. */
export function hasDenseRun(text: string): boolean {
  return /[A-Za-z0-9]{16}/.test(text) && /[0-9][A-Za-z]+[0-9]/.test(text);
}

/**
 * Whether letters alone look drawn by lot: many changes of case, or consonants in a row and
 * vowels fewer than any language has.
 */
export function looksRandom(text: string): boolean {
  const letters = text.replaceAll(/[^A-Za-z]/g, "");
  if (letters.length < 12) return letters.length >= 6 && isOddlySpelt(text);
  const changes = text.match(/[a-z][A-Z]|[A-Z][a-z]/g)?.length ?? 0;
  if (changes / letters.length > 0.3) return true;
  if (/[bcdfghjklmnpqrstvwxz]{7}/i.test(letters)) return true;
  const vowels = letters.match(/[aeiouy]/gi)?.length ?? 0;
  return vowels / letters.length < 0.18 || isOddlySpelt(text);
}

/** What hardly ever follows each letter of the alphabet in words and in names of code. */
const seldomAfter =
  "ehjoqz bdfghkmnpqtvwxz bgjnqvwxz hjkqvwxz jz bdghjkmnpqvwxz bcdfjkpqvwxyz bcdfghjklmnpqvwxz hijquwy bcdfghijklmnopqrstuvwxyz bcdfghjkmnpqruvwxyz hjkqwxz cfghjkqrvwxyz jqwxz hjqyz bgjkmnqvwxz abcdefghijkmnopqrstvwxyz hjqxz bgjxz jkqxz hjkquvwxyz bcdfghjklmnpqrtuvwxyz bcdfgjklmpqtuvwxyz abdfghjklnoqrsuvwxyz bdfghjkoqruvwxyz bcdfghjklmnopqrstuvwxyz".split(
    " ",
  );
const oddCharsMax = 96;

/** What code shortens words to, which are spelt as they like. */
const shortened =
  " pwd pw ctx cfg jwt jwk db tx fn js ts id ip sql http https ssh tls ssl xml html url uid gpg pgp mq kv ws rx fs os io md ui aws gcp hmac otp mfa sso dns ftp ldap smtp imap my of is to by in on at or as do up no go it if be pkg evp dh ec rsa pem jks tmp src dst req res idx ptr msg img num cnt str mgr srv svc vm ml ai psk qt jsx tsx ";

/**
 * Whether letters of both cases are drawn, however short they are and whatever parts them: parts
 * between capitals that are hardly a syllable, and pairs of letters that no word has. Nine of ten
 * drawn ones are so, and one of a thousand names in code.
 */
export function isOddlySpelt(text: string, least = 2.4): boolean {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text)) return false;
  let letters = 0;
  let odds = 0;
  for (const part of text.slice(0, oddCharsMax).match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []) {
    letters += part.length;
    const own = oddsOf(part);
    // A word in it is against it: names of code are made of one strange word at most.
    odds += own === 0 && part.length >= 5 ? -1.5 : own;
  }
  return odds >= least && odds * 10 >= letters * least;
}

/** Whether small letters in a row hold pairs that no words have, as passwords that mail services draw do. */
export function isDrawnRow(text: string): boolean {
  if (!/^[a-z]{15,32}$/.test(text)) return false;
  const odds = oddsOf(text);
  return odds >= 3 && odds * 5 >= text.length;
}

/** Whether a text is a word and a few drawn letters, as people make a password of a word: `Maple_mxxopo`. */
export function isWordAndDraw(text: string): boolean {
  const drawn = /^[A-Z][a-z]{2,12}[-_.]([a-z]{5,8})$/.exec(text)?.[1];
  return drawn !== undefined && oddsOf(drawn) >= 1;
}

function oddsOf(part: string): number {
  const folded = part.toLowerCase();
  if (part.length < 6 && shortened.includes(` ${folded} `)) return 0;
  // Capitals in a row are an abbreviation, which is spelt as it likes.
  const weight = part.length > 1 && part === part.toUpperCase() ? 0.4 : 1;
  let odds = part.length <= 2 ? 0.7 : 0;
  for (let at = 0; at + 1 < folded.length; at++) {
    const seldom = seldomAfter[folded.charCodeAt(at) - 97] as string;
    if (seldom.includes(folded[at + 1] as string)) odds += weight;
  }
  return odds;
}

/** Counts distinct code units, up to `enough`. */
export function distinctChars(text: string, enough: number): number {
  const seen = new Set<string>();
  for (const char of text) {
    seen.add(char);
    if (seen.size >= enough) break;
  }
  return seen.size;
}

/** Estimates how many bits a secret holds from its length and the kinds of characters in it. */
export function estimateBits(secret: string): number {
  let pool = 0;
  if (/[a-z]/.test(secret)) pool += 26;
  if (/[A-Z]/.test(secret)) pool += 26;
  if (/[0-9]/.test(secret)) pool += 10;
  if (/[^A-Za-z0-9]/.test(secret)) pool += 20;
  const distinct = distinctChars(secret, 64);
  // People choose words: half of what a random draw of this length would hold.
  const perChar = Math.log2(Math.max(2, Math.min(pool, distinct * 4)));
  const human = secret.length < 20 ? 0.5 : 1;
  return human * perChar * Math.min(secret.length, 128);
}

/** Whether a token changes between digits, capitals and small letters as nothing that was named does. */
export function readsAsDrawn(text: string, start: number, end: number): boolean {
  const token = text.slice(start, Math.min(end, start + 160));
  if (!/[0-9]/.test(token) || !/[a-z]/.test(token) || !/[A-Z]/.test(token)) return false;
  const changes =
    token.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0;
  return changes * 3 >= token.length && !readsAsFiller(token);
}

/** Whether what follows a token's first dash is one run that is no stand-in, or drawn if marks break it. */
export function readsAsKey(text: string, start: number, end: number): boolean {
  const body = text.slice(start, Math.min(end, start + 160)).replace(/^[a-z]{1,8}-/, "");
  return /[-_]/.test(body) ? readsAsDrawn(text, start, end) : !readsAsFiller(body);
}
