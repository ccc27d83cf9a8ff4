import { charClasses, isAt } from "./chars.ts";
import {
  distinctChars,
  isDrawnRow,
  isMixed,
  isOddlySpelt,
  isWordAndDraw,
  looksRandom,
} from "./checks/randomness.ts";
import { endsInCount, isMadeUp } from "./checks/made-up.ts";
import { isWordPhrase } from "./checks/word-phrase.ts";
import { isLabel } from "./labels.ts";
import { judgedCharsMax } from "./limits.ts";
import { placeholderStart } from "./placeholder.ts";
import type { SecretName } from "./secret-name.ts";
import { codeForms, hasForeignLetter, isReadable, textForms } from "./written-value.ts";

/** Where a value stood, as far as it helps to tell a value from code or prose. */
export interface ValueSetting {
  readonly isQuoted: boolean;
  /** A bare word here is a value: environment line, flag, URL, connection string. */
  readonly isLiteral: boolean;
  /** It ends its line, as settings do and most of code does not. */
  readonly isAlone?: boolean;
}

/** Length of the longest of {@link constants} that does not end in a number of any length. */
const constantCharsMax = 12;
const constants = (): RegExp =>
  // Stryker disable next-line Regex: words, which are data.
  /^(?:(?:string|int|float|boolean|id|datetime|json|uuid)!|true|false|null|none|nil|undefined|yes|no|on|off|string|str|number|boolean|bool|int|integer|bytes|object|any|unknown|never|void|required|optional|hidden|disabled|enabled|default|empty|text|uuid|self|basic|bearer|oauth2?|jwt|sha-?\d+|hs\d+|rs\d+|es\d+|env|prompt|file|keychain|todo|tbd|unset|secret|secrets|token|tokens|password|passwd|passphrase|pass|pwd|key|apikey|api[-_]?key|credentials?|username|user|name|value|email|login|auth|test|testing|options?|arguments?|example|sample|changeme|change[-_]me|dummy|placeholder|redacted|masked|sensitive|private|public|n\/?a|function|symbol|only)$/i;
const references = (): RegExp =>
  // Stryker disable next-line Regex: words, which are data.
  /^(?:\$[A-Za-z_]\w*$|\$\{|\$\(|\$\{\{|\{\{|<%|#\{|@\{|@Microsoft\.|%[A-Za-z_]\w*%$|%[sdv]$|%\(|process\.env|import\.meta|os\.(?:environ|getenv)|env[.[(]|ENV\[|System\.getenv|secrets\.|vars?\.|data\.|local\.|module\.|self\.|this\.|config\.|settings\.|args?\.|opts?\.|options\.|ctx\.|req\.|request\.|params?\.|props\.|(?:env|file|fd):|op:\/\/|vault:|ref\+|arn:aws|projects\/|!Ref|!Sub|!vault|!secret|:[a-z_]+$|\?$|@@?[a-z_]+$)/;
const standIn = (): RegExp =>
  /^(?:<[^<>]*>|\[[^[\]]*\]|\{[^{}]*\}|\((?:\?.*|[^()]*\))|[*x•.#_-]{3,}|.*\*{4,}.*|.*(?:\.{3}|…)$)$/i;
const standInWords = (): RegExp =>
  // Stryker disable next-line Regex: words, which are data.
  /your|example|placeholder|redacted|change[-_]?me|replace[-_ ]?(?:me|with|this)|insert|[-_]here$|sample|dummy|xxxx|some[-_]?(?:secret|password|token|key)|my[-_](?:secret|password|token|key)|^auto-?generate/i;
const words = (): RegExp => /^[A-Za-z]+(?:[-_. ][A-Za-z]+)*\d?$/;
const memberOrCall = (): RegExp =>
  /^[A-Za-z_$][\w$]*(?:(?:[?!]?\.|::|->)[A-Za-z_$][\w$]*)+!?$|^[A-Za-z_$][\w$.:]*[([]|^(?:[A-Z]\w*\.)?[a-z_]+[?!]\(/;
const pathLike = (): RegExp => /^(?:~?\/|\.{1,2}\/|[A-Za-z]:\\)[\w.@~$-]+(?:[/\\][\w.@~$-]*)*$/;
const urlLike = (): RegExp => /^\(?[a-z][a-z0-9+.-]*:\/\//i;
const versionOrDate = (): RegExp =>
  /^(?:[~^]|[<>]=?)?v?\d+\.\d+(?:\.\d+)?(?:[-+.][\w.+-]+)?(?:\(@?[\w.@/+()-]+)?$|^\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]+)?$/;
/** What a web server puts in: `expr=%{ENV:API_KEY}`, `%{X-Token}i`. */
const serverVariable = (): RegExp => /^(?:expr=)?["']?%\{[\w:.-]{1,64}\}\w?["']?$/;
/** An artifact and its version, with where a lock file says that it is used. */
const coordinate = (): RegExp =>
  /^[a-z][a-z\d]*(?:[-_.][a-z\d]+){0,8}:v?\d{1,5}(?:\.[a-zA-Z\d-]{1,24}){1,5}(?:[@:=][\w.,-]{0,200})?$/;
const credentialScope = (): RegExp => /\/20\d{6}\/[\w-]+\/\w+\/aws4_request/;
const publicKey = (): RegExp =>
  /^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-|sk-ssh-|-----BEGIN (?:PUBLIC|CERT))/;
/** A pattern: a range of characters in brackets, a group that is not kept. */
const pattern = (): RegExp =>
  /\[\^?[^\]\s]{0,16}(?:a-z|A-Z|0-9|\\[dws])[^\]]{0,32}\]|\(\?(?:[:=!]|<[=!]|P<)/;
/** Keys that vendors have people put into web pages. */
const publishable = (): RegExp => /^(?:pk\.eyJ|pk_(?:live|test)_|phc_|sb_publishable_)/;
/** What a package keeps of its own: its name, and words after it. */
const scoped = (): RegExp =>
  /^@[a-z][a-z\d-]{1,40}(?:[/:.][A-Za-z]{1,24}(?:[-_][A-Za-z]{1,24}){0,6}(?:[-_]?v?\d{1,2})?){1,6}$/;
/** What only a cluster, a vault or a key service can open: sealed secrets, Ansible, SOPS. */
const sealed = (): RegExp => /^(?:AgA[\w+/]{96}|AgB[\w+/]{96}|AgC[\w+/]{96}|\$ANSIBLE_VAULT|ENC\[)/;

/**
 * Whether a value, un-escaped and without quotes, is a secret under the name it stood beside.
 * Says no to references, stand-ins, types, paths, prose, versions and plain words of code.
 */
export function isSecretValue(value: string, name: SecretName, setting: ValueSetting): boolean {
  if (name.asksShape) return false;
  // What follows a placeholder is cut off from the candidate as well.
  const known = value.indexOf(placeholderStart);
  const looked = value.slice(0, known < 0 ? judgedCharsMax : Math.min(known, judgedCharsMax));
  if (looked.length < minChars(name, setting)) return false;
  if (isInnocent(looked, setting)) return false;
  if (/\s/.test(looked)) return isPhrase(looked, name, setting);
  if (/^-?[0-9.,]+$/.test(looked)) return isSecretNumber(looked, name, setting);
  return name.family === "password"
    ? isPasswordWord(looked, name, setting)
    : !hasForeignLetter(looked) && isTokenWord(looked, name, setting);
}

function minChars(name: SecretName, setting: ValueSetting): number {
  if (name.family !== "password") return 8;
  if (name.isWeak) return setting.isLiteral ? 4 : 6;
  return setting.isLiteral || setting.isQuoted ? 4 : 5;
}

/** Rules by which a framework checks what was typed: `required|min:8`, `max_length[72]`. */
const validation = (): RegExp =>
  // Stryker disable next-line Regex: words, which are data.
  /^(?:(?:required|nullable|sometimes|string|min|max|size|between|same|different|confirmed|regex|not_regex|unique|exists|in|not_in|digits|numeric|integer|boolean|array|alpha|bail|present|filled|uuid|email|matches|differs|trim|permit_empty|current_password|password|(?:required|digits|alpha|min|max|exact|valid|starts|ends|greater|less|is)_\w{1,24})(?::[\w,.@:=/-]{0,48}|\[[\w,.]{0,32}\])?(?:\||$))+$/;

/**
 * Each form with a sign without which it cannot match. A process that scrubs one text compiles
 * each expression that it runs, which takes longer than all else, and most values show no sign.
 */
export const innocentForms: readonly (readonly [
  sign: (value: string) => boolean,
  form: () => RegExp,
])[] = [
  [(value) => value.length <= constantCharsMax || endsInDigit(value), constants],
  [isMaybeReference, references],
  [(value) => isMasked(value) && !isBraced(value), standIn],
  [isMaybeVersion, versionOrDate],
  [(value) => "es-".includes(value.charAt(0)), publicKey],
  [(value) => "ps".includes(value.charAt(0)), publishable],
  [(value) => "AE$".includes(value.charAt(0)), sealed],
  [(value) => value.startsWith("@"), scoped],
  [(value) => value.includes("://"), urlLike],
  [(value) => value.includes("%{"), serverVariable],
  [(value) => value.includes(":"), coordinate],
  [(value) => value.includes("[") || value.includes("(?"), pattern],
  [(value) => value.includes("/aws4_request"), credentialScope],
  [(value) => /[:|[]/.test(value), validation],
  ...textForms,
];

/** Whether a value begins as versions do, and goes on with no more capitals after small letters than they have. */
function isMaybeVersion(value: string): boolean {
  if (!"v~^<>".includes(value.charAt(0)) && !isAt(value, 0, charClasses.digit)) return false;
  return (value.match(/[a-z][A-Z]/g)?.length ?? 0) < 2;
}

/** First characters, and first pairs of letters, of {@link references}. */
const referenceMarks = "$<#@%!:?{";
const referencePairs = new Set([
  "pr", "im", "os", "en", "EN", "Sy", "se", "va", "da", "lo", "mo", "th", "co", "ar", "op", "ct",
  "re", "pa", "fi", "fd",
]); // prettier-ignore

function isMaybeReference(value: string): boolean {
  return referenceMarks.includes(value.charAt(0)) || referencePairs.has(value.slice(0, 2));
}

function endsInDigit(value: string): boolean {
  return isAt(value, value.length - 1, charClasses.digit);
}

/** Whether a value begins like a bracket or a mask, or has a mask in it. */
function isMasked(value: string): boolean {
  if ("<[{(*xX•.#_-".includes(value.charAt(0))) return true;
  return value.includes("****") || value.endsWith("...") || value.endsWith("…");
}

/** A key in braces, as Maven and Jenkins write what they have encrypted. */
function isBraced(value: string): boolean {
  return (
    value.startsWith("{") &&
    /^\{[\w+/]{14,}={0,2}\}$/.test(value) &&
    (value.endsWith("=}") || looksRandom(value.slice(1, -1)))
  );
}

/** One of these is in each of {@link standInWords}. */
const standInSigns = [
  "your", "example", "placeholder", "redacted", "change", "replace", "insert", "here", "sample",
  "dummy", "xxxx", "some", "my", "auto",
]; // prettier-ignore

function holdsStandInWord(value: string): boolean {
  const folded = value.toLowerCase();
  return standInSigns.some((sign) => folded.includes(sign)) && standInWords().test(value);
}

/** Whether a value is a reference, a stand-in, code or a path, whatever its name promises. */
export function isInnocent(value: string, setting: ValueSetting): boolean {
  if (innocentForms.some(([sign, form]) => sign(value) && form().test(value))) return true;
  if (isReadable(value) || isExclaimed(value)) return true;
  if (holdsStandInWord(value) && !/[0-9].*[a-z].*[0-9]/i.test(value)) return true;
  return (
    (!setting.isQuoted && readsAsCode(value, setting)) || (pathLike().test(value) && isPath(value))
  );
}

/** What a message says of a password, and how it ends: `empty!`. */
function isExclaimed(value: string): boolean {
  if (!/^[A-Za-z]{3,16}[!?]+$/.test(value)) return false;
  const word = value.replace(/[!?]+$/, "");
  return constants().test(word) || isLabel(word);
}

function readsAsCode(value: string, setting: ValueSetting): boolean {
  if (!setting.isLiteral && codeForms.some(([sign, form]) => sign(value) && form().test(value))) return true; // prettier-ignore
  if (memberOrCall().test(value)) return !isJoinToken(value) && !isDottedPassword(value, setting);
  // The name of an error or a field, which the text goes on to describe.
  if (!setting.isLiteral && /^[A-Za-z_]+(?:\.[A-Za-z_]+)*:$/.test(value)) return true;
  // What is passed on in a call, and what decorates a function.
  if (/^(?:\*{1,2}[a-z_]\w*|@[a-z_][\w.]*\()$/.test(value)) return true;
  return !setting.isLiteral && /^[{[(|>&*!]|^#[a-z][a-z-]*$|^\D*-$/.test(value);
}

/** What code reads members of, or calls. */
const holders = (): RegExp =>
  // Stryker disable next-line Regex: words, which are data.
  /^(?:this|self|super|cls|config|cfg|conf|process|req|request|ctx|context|env|settings|props|state|opts?|options|args?|params?|data|user|account|client|res|resp|response|result|body|event|secrets?|vars?|local|module|each|input|form|values|row|item|session|auth|credentials?|crypto|base64|hmac|jwt|os|math|date|json|app|window|document)\b/i;

/** Parts with dots or brackets between them that no code is made of. */
function isDottedPassword(value: string, setting: ValueSetting): boolean {
  if (setting.isLiteral && /^[^([]*\d/.test(value)) return true;
  if (/\d/.test(value) && isFullOfMarks(value)) return true;
  if (/[([]/.test(value)) return false;
  if (value.split(".").some(isDrawn)) return true;
  if (isWordsAndNumber(value, setting.isAlone === true)) return true;
  if (!holders().test(value) && isOddlySpelt(value, dottedOdds)) return true;
  return setting.isAlone === true && /^\w+\.\w*[A-Z]\w*\d\d$/.test(value) && !holders().test(value);
}

/** What a node joins a cluster with: an id of six characters and a secret of sixteen. */
function isJoinToken(value: string): boolean {
  return /^[a-z\d]{6}\.[a-z\d]{16}$/.test(value) && /\d.*\..*\d/.test(value);
}

/** `Word.word12`, in which the number counts no bits or version of what the words name. */
function isWordsAndNumber(value: string, isAlone: boolean): boolean {
  // What stands alone after a name in a file of settings is no type.
  if (isAlone && /\.[a-z]{5,}\d\d$/.test(value) && isMadeUp(value)) return true;
  return /^[A-Z][a-z]{2,}\.[a-z]{3,}\d\d(?:\d\d)?!?$/.test(value) && !endsInCount(value);
}

/** Digits and capitals in turn, which no type ends in, or more marks than an expression has. */
function isFullOfMarks(value: string): boolean {
  if (/\d.*[a-z].*\d.*[A-Z]/.test(value)) return !/\.[A-Z]\w*[a-z]{2}$/.test(value);
  return (value.match(/[!@#%^&*+=]/g)?.length ?? 0) >= 4;
}

/** Less is asked of parts with dots between them: what is a member is spelt as words are. */
const dottedOdds = 2;

/** Letters and digits that alternate as nothing that was named does. */
function isDrawn(part: string): boolean {
  const changes = part.match(/[a-z]\d|\d[a-z]/gi)?.length ?? 0;
  return changes >= 4 || looksRandom(part);
}

/** Whether no part of a path is so random that it could be a key. */
export function isPath(value: string): boolean {
  const segments = value.split(/[/\\]/).filter((segment) => segment !== "");
  return segments.every(
    (segment) =>
      segment.length < 24 && !/[a-z]\d+[A-Z]|[A-Z]\d+[a-z]/.test(segment) && !isOddlySpelt(segment),
  );
}

/** Several words: a pass-phrase, or a password with blanks that no sentence would hold. */
function isPhrase(value: string, name: SecretName, setting: ValueSetting): boolean {
  if (setting.isLiteral && name.isEnv && isWordPhrase(value, true)) return true;
  if (!setting.isQuoted || value.length > 80) return false;
  if (name.family !== "password") return isMarked(value);
  if (isWordPhrase(value, true)) return true;
  const parts = value.split(/\s+/).filter((part) => part !== "");
  if (parts.length >= 4 && parts.every((part) => /^[a-z]{3,}$/.test(part))) return !hasProse(parts);
  return (
    parts.length <= 4 &&
    parts.some((part) => /[A-Za-z][^\s\p{L}'’.,:-]+[A-Za-z]/u.test(part.replace(/<\/?[a-z]+>/, "")))
  );
}

/** A salt of every printable character, blanks among them, as WordPress draws it. */
function isMarked(value: string): boolean {
  const marks = value.match(/[^\w\s.,:'"-]/g)?.length ?? 0;
  const blanks = value.split(" ").length - 1;
  return value.length >= 32 && marks * 6 >= value.length && blanks <= 4 && /\d/.test(value);
}

function hasProse(parts: readonly string[]): boolean {
  return parts.some((part) =>
    /^(?:the|and|for|must|is|are|not|your|with|was|has|please)$/.test(part),
  );
}

function isSecretNumber(value: string, name: SecretName, setting: ValueSetting): boolean {
  if (!/^[0-9]+$/.test(value)) return false;
  if (name.family !== "password" || name.isWeak) return value.length >= 20;
  return value.length >= (setting.isQuoted || setting.isLiteral ? 4 : 6);
}

function isPasswordWord(value: string, name: SecretName, setting: ValueSetting): boolean {
  if (distinctChars(value, 3) < 3) return false;
  if (!words().test(value)) return !isForeignWord(value) || (name.isEnv && setting.isLiteral);
  return isWordOfPassword(value, name, setting);
}

function isWordOfPassword(value: string, name: SecretName, setting: ValueSetting): boolean {
  const hasDigit = endsInDigit(value);
  if (isDrawnWord(value)) return true;
  if (setting.isLiteral) return isLiteralWord(value, name, hasDigit);
  if (!setting.isQuoted) {
    return (hasDigit && !/[a-z][A-Z]/.test(value)) || isOddlySpelt(value, bareOdds);
  }
  if (hasDigit) return true;
  // In quotes, words joined so are a column or a field.
  if (/^[a-z]+(?:_[a-z]+)+$/.test(value)) return false;
  return !name.isWeak && (isQuotedWord(value) || isJumbled(value) || isOddlySpelt(value, bareOdds));
}

/** Where a bare word is a value, only a weak name asks for more than a word. */
function isLiteralWord(value: string, name: SecretName, hasDigit: boolean): boolean {
  return !name.isWeak || name.isEnv || hasDigit || isOddlySpelt(value, bareOdds);
}

function isDrawnWord(value: string): boolean {
  return (
    isMadeUp(value) ||
    looksRandom(value) ||
    isDrawnRow(value) ||
    isWordAndDraw(value) ||
    (value.includes("-") && isWordPhrase(value))
  );
}

/** Less is asked of what stands bare under the name of a password: names of code are spelt as words. */
const bareOdds = 1.5;

/** One or more words with letters beyond ASCII: what a form calls a password in another language. */
function isForeignWord(value: string): boolean {
  return /[^ -~]/.test(value) && /^[\p{L}\p{M}]+(?:[-_. ’'\u200c][\p{L}\p{M}]+)*$/u.test(value);
}

/** Capitals that stand as they do in no name, in a word too short for {@link looksRandom}. */
function isJumbled(value: string): boolean {
  return value.length >= 9 && /[A-Z]{2}[a-z]{1,2}[A-Z]/.test(value);
}

/** What forms and programs call a password, and say of one: `current-password`, `field.required`. */
const labels = (): RegExp =>
  /^(?:pass|user|hash|input|field|valid|invalid|new|old)|[-_.](?:pass|user|hash|input|field|valid|error|label|text|type|form|hint|help|icon|mail|name|login|token|auth|required|hidden|manager|policy|reset)/;

/** One lower-case word in quotes: a weak password rather than a label, a field or a column. */
function isQuotedWord(value: string): boolean {
  if (!/^(?:[a-z]{6,}|[a-z]{4,}(?:[-_.][a-z]{4,})+)$/.test(value)) return false;
  return !labels().test(value) && !isLabel(value);
}

/** Letters of one case in a row, longer than any word that is written here. */
const unbroken = (): RegExp => /^(?:[a-z]{20,}|[A-Z]{20,})$/;
/** Names joined by colons: a grant, a realm, a scope. */
const scopes = (): RegExp =>
  /^[A-Za-z]+\d?(?:[_-][A-Za-z]+){0,4}(?::[A-Za-z]+(?:[_-][A-Za-z]+)*)+(?:[:_-]?v?\d{1,2})?$/;

function isTokenWord(value: string, name: SecretName, setting: ValueSetting): boolean {
  if (distinctChars(value, 6) < 6) return false;
  if (words().test(value)) {
    return unbroken().test(value) || looksRandom(value) || isEnvWord(value, name, setting);
  }
  if (scopes().test(value)) return false;
  if (name.isWeak && value.length < 16) return isShortKey(value, name, setting);
  if (value.length >= 16) return isMixed(value) || /[^\w-]/.test(value) || looksRandom(value);
  return isMixed(value) && !/^[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?v?\d{1,3}$/.test(value);
}

/** Capitals, small letters and digits in turn: a variable of the environment may have a short key, and no name has two marks. */
function isShortKey(
  value: string,
  name: SecretName,
  { isQuoted, isLiteral }: ValueSetting,
): boolean {
  if (name.family === "key" && value.length >= 10 && isMarkedTwice(value)) return true;
  if (!name.isEnv || name.family !== "key" || !(isQuoted || isLiteral)) return false;
  return value.length >= 12 && /^[A-Za-z\d]+$/.test(value) && looksRandom(value);
}

/** Marks that no name of code has, and letters of both cases that stand as in none. */
function isMarkedTwice(value: string): boolean {
  return (value.match(/[!@#$%^&*+?~]/g)?.length ?? 0) >= 2 && looksRandom(value);
}

function isEnvWord(value: string, name: SecretName, setting: ValueSetting): boolean {
  if (value.length < 12) return false;
  return name.isEnv && setting.isLiteral && name.owner === undefined && name.family === "token";
}
