import { charClasses, isAt } from "../chars.ts";
import { isMixed, looksRandom } from "../checks/randomness.ts";
import { isWordPhrase } from "../checks/word-phrase.ts";
import { isInnocent } from "../judge.ts";
import { placeholderStart } from "../placeholder.ts";

const given = { isQuoted: true, isLiteral: true };
/** Words that stand for a value in a manual, or follow a flag in a sentence. */
const spoken = (): RegExp =>
  /^(?:flag|options?|arguments?|param(?:eter)?s?|switch|and|or|is|to|for|with|the|in|on|of|at|as|you|it|this|that|which|if|when|not|will|was|are|has|can|value|val|foo|bar|baz|pw|new|old|admin_?pass|userpass|file|stdin|none|empty|foobared)$/i;
const notGiven = (): RegExp =>
  /^(?:[-`]|\$(?=[A-Za-z_])[\w\-.:/@[\]${}]*$|\$[{(]|\$.$|%(?:[A-Za-z_]\w*%|[a-z]$|\()|<[^<>]*>?$|\{|env:|file:|fd:|stdin$|\*+$|@|\\\()|\$\{|\$\(|\{\{|%[A-Z_][A-Z\d_]{2,}%/;

/** Whether what a command is given where it takes a secret is one: no reference, no stand-in. */
export function isGiven(value: string): boolean {
  if (value.length < 3 || value.length > 4096 || value.startsWith(placeholderStart)) return false;
  if (notGiven().test(value) || spoken().test(value)) return false;
  if (/\s\S*\s\S*\s/.test(value)) return isWordPhrase(value, true);
  return !isInnocent(value, given);
}

/**
 * Whether a value looks like a password or a token by itself. Asked where a place alone says that
 * it is one: sentences, names, hosts, paths and numbers stand in such places too.
 */
export function isStrongWord(value: string): boolean {
  if (value.length < 6 || !isGiven(value) || /\s/.test(value)) return false;
  if (isName(value)) return value.includes("-") && isWordPhrase(value);
  if (isHarmlessForm(value)) return false;
  return (isMixed(value) && !/^[A-Za-z]+[-_.]?\d{1,2}$/.test(value)) || looksRandom(value) || hasMarks(value); // prettier-ignore
}

/** Whether a line that a command printed is the secret that it was asked for. */
export function isPrinted(value: string): boolean {
  return /^[\w.~+/=!?@#$%^&*:-]{8,}$/.test(value) && isStrongWord(value);
}

/** Names of settings, columns, packages: words joined, with a short number at most. */
function isName(value: string): boolean {
  return (
    /^[A-Z]+\d{0,2}(?:_[A-Z]+\d{0,2})+$/.test(value) ||
    /^[a-z]+\d?(?:[-_.][a-z]+\d?)+[-_.]?v?\d{0,3}$/.test(value) ||
    (/^[A-Za-z]+v?\d{1,2}$/.test(value) && !looksRandom(value))
  );
}

/** A mark that words and names do not have, between letters. */
function hasMarks(value: string): boolean {
  return /[A-Za-z]/.test(value) && /[!#$%^&*+~?]/.test(value);
}

type Form = readonly [sign: (value: string) => boolean, form: () => RegExp];

/**
 * Numbers, versions, dates, hosts, addresses, mail, paths, file names, measures, names of sets. Each
 * with a sign without which it cannot match: to make an expression takes longer than to ask.
 */
const harmlessForms: readonly Form[] = [
  [(value) => "0123456789.,:+-".includes(value.charAt(0)), () => /^[\d.,:+-]+[A-Za-z]{0,3}$/],
  [(value) => value.startsWith("#"), () => /^#[\dA-Fa-f]{3,8}$/],
  [(value) => value.includes("."), () => /^v?\d+(?:\.\d+){1,3}(?:[-+.][\w.]+)?$/],
  [(value) => value.includes("@"), () => /^[\w.+-]+@(?:[\w-]+(?:\.[\w-]+)+|[a-z][a-z-]*)$/],
  [
    (value) => value.includes("/") || value.includes(":\\"),
    () => /^(?:[a-z][\w+.-]*:\/\/|\.{0,2}\/|~\/|[A-Za-z]:\\)/,
  ],
  [
    (value) => value.includes("."),
    () =>
      /^[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|dev|test|local|internal|example|json|ya?ml|txt|md|[cm]?[jt]sx?|py|go|rs|rb|sh|env|pem|key|zip|gz|html?|css|lock|toml|log|sql|xml|cfg|conf|ini|csv|jks|p12)(?::\d+)?$/i,
  ],
  [(value) => isAt(value, 0, charClasses.digit), () => /^\d{1,5}-?[a-z]+(?:-[a-z]+)*$/],
  [
    (value) => isAt(value, 0, charClasses.upper),
    () => /^[A-Z]{2,}(?:[-_][A-Z]+)*[-_]?\d+(?:\.\d+)*$/,
  ],
  [
    (value) => value.includes("-"),
    () => /^(?:[A-Z][a-z]+|[A-Z]{2,5}|[a-z]{2,8})-\d{1,4}(?:-[a-z]+)*$/,
  ],
];

function isHarmlessForm(value: string): boolean {
  if (harmlessForms.some(([sign, form]) => sign(value) && form().test(value))) return true;
  return (
    (value.includes("/") || value.includes(":")) &&
    /^[\w.-]+[/:][\w./:-]*$/.test(value) &&
    !/[a-z]\d+[A-Z]|[A-Z]\d+[a-z]|\d[a-z]+\d[a-z]+\d/.test(value)
  );
}
