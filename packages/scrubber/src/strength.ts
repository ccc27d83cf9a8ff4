import {
  distinctChars,
  hasDenseRun,
  isMixed,
  isOddlySpelt,
  looksRandom,
} from "./checks/randomness.ts";
import { isMarkedWord } from "./checks/made-up.ts";
import { isPath } from "./judge.ts";

export function isStrong(value: string): boolean {
  return value.length >= 6 && /[0-9!@#$%^&*+?~]/.test(value) && /[A-Za-z]/.test(value)
    ? !/^[a-z]+['’][a-z]+$|^\w+[:/]/i.test(value) || isBase64Key(value)
    : looksRandom(value);
}

/** Marks that code and paths have in every line. */
const codeMarks = (): RegExp => /[/:(){}<>;,]/;

/** Strong enough to be a secret on the strength of the word before it alone. */
export function isUnmistakable(value: string): boolean {
  if (value.length < 8) return false;
  if (codeMarks().test(value)) return isBase64Key(value) && /[0-9]/.test(value);
  if (!/[0-9]/.test(value)) return value.length >= 12 && isOddlySpelt(value);
  if (/[=*]/.test(value)) return isMarkedKey(value);
  if (value.length >= 20) return isMixed(value) && distinctChars(value, 10) >= 10 && isDense(value);
  return isIrregular(value) || isMarkedWord(value);
}

/** With the sign that ends base64, or a star. */
function isMarkedKey(value: string): boolean {
  return isMarkedWord(value) || isBase64Key(value) || (isMixed(value) && looksRandom(value));
}

/** Of both cases, and neither a name with a number nor names joined. */
function isIrregular(value: string): boolean {
  if (!/[a-z].*[A-Z]|[A-Z].*[a-z]/.test(value) || /^[A-Za-z]+\d{1,3}$/.test(value)) return false;
  return !value.includes("_") || /[!#$%^+~]/.test(value) || looksRandom(value);
}

function isDense(value: string): boolean {
  return hasDenseRun(value) || isScattered(value) || looksRandom(value);
}

/** Digits and capitals all over it, though marks break it up. */
function isScattered(value: string): boolean {
  const changes = value.match(/\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]/g)?.length ?? 0;
  return changes * 3 > value.length && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

/** A key in base64, which no path and no expression looks like. */
export function isBase64Key(written: string): boolean {
  const value = written.startsWith("base64:") ? written.slice(7) : written;
  return (
    value.length >= 24 &&
    /^[\w+/-]{20,}={0,2}$/.test(value) &&
    /[a-z]/.test(value) &&
    /[A-Z]/.test(value) &&
    distinctChars(value, 14) >= 14 &&
    !isPath(value)
  );
}

/** A UUID, or as much of one as a limit of length has left. */
const uuids = (): RegExp => /^[\da-f]{8}-[\da-f]{4}-(?:[\da-f]{4}-){0,2}[\da-f]{1,12}$/i;

export function isUuid(value: string): boolean {
  return value.length >= 20 && value.length <= 36 && value[8] === "-" && uuids().test(value);
}
