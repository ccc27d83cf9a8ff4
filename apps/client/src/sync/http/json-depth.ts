import { syncLimits } from "../sync-limits.ts";

const quote = 0x22;
const backslash = 0x5c;
const bracket = 0x5b;
const bracketEnd = 0x5d;
const brace = 0x7b;
const braceEnd = 0x7d;

/**
 * Whether a text is long, and has more levels than any answer, wherever it is no JSON too. A level
 * costs whoever parses it more than a hundred times its two characters, so it is looked at before.
 */
export function isTooDeep(text: string): boolean {
  if (text.length <= syncLimits.anyDepthCharsMax) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfString(text, at);
    else if (unit === bracket || unit === brace) depth += 1;
    else if (unit === bracketEnd || unit === braceEnd) depth -= 1;
    if (depth > syncLimits.jsonDepthMax) return true;
  }
  return false;
}

/** Where the string that begins at `start` ends; the text's end where it does not. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, place: number): boolean {
  let at = place - 1;
  while (text.charCodeAt(at) === backslash) at -= 1;
  return (place - 1 - at) % 2 === 1;
}
