/** What names of code count before a number at their end: bits, versions, fields. */
const counted = (): RegExp =>
  // Stryker disable next-line Regex: words, which are data.
  /(?:^|[-_.])(?:md|sha|string|base|aes|int|uint|float|double|crc|rsa|hmac|bcrypt|utf|block|value|field|param|port|type|item|version|step|page|row|col|column|code|encode|decode|char|bit|bits|word|key|hex|pixel|read|write|twofish|blowfish|camellia|test|case|part|level|phase|figure|table|section|chapter|issue|ticket|node|server|host|user|group|zone|rev|build|update|policy|check|form|input|label|error)\d/i;
/** Sizes, which types of data end in. */
const sized = (): RegExp => /\D(?:16|24|32|48|64|96|128|256|512|1024|2048|4096)$/;

/** Whether a text is a word, a number and a mark as people make a password of them: nothing else is written so. */
export function isMarkedWord(value: string): boolean {
  return (
    value.length <= 40 &&
    /^[A-Z][a-z]{2,}(?:[-_.][A-Za-z]{3,})?\d{2,4}[!*?#$%&@]{1,3}$/.test(value) &&
    !counted().test(value)
  );
}

/** Whether words before a number at the end say what it counts, or it is a size. */
export function endsInCount(value: string): boolean {
  return counted().test(value) || sized().test(value);
}

/** The same, or two words and a number: a name of code may be so, and seldom is. */
export function isMadeUp(value: string): boolean {
  if (isMarkedWord(value)) return true;
  if (value.length > 40 || counted().test(value)) return false;
  return /^(?:[A-Z][a-z]{2,}[-_.][a-z]{3,}\d{2}|[a-z\d]{4,}[A-Z]{3,}\d{3})$/.test(value);
}
