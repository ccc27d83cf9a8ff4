/** Sums of digits that registers of people and banks end their numbers with. */

/** The digits of a text; whatever is none counts as zero. */
export function digitsOf(text: string): readonly number[] {
  return Array.from(text, (char) => (char >= "0" && char <= "9" ? char.charCodeAt(0) - 48 : 0));
}

/** The sum of digits times weights; weights begin again where they are fewer. */
export function weighted(text: string, weights: readonly number[]): number {
  return digitsOf(text).reduce(
    (sum, digit, index) => sum + digit * (weights[index % weights.length] ?? 0),
    0,
  );
}

/** Luhn's check, as cards and many registers have it. */
export function hasLuhn(text: string): boolean {
  const sum = digitsOf(text)
    .toReversed()
    .reduce((total, digit, index) => {
      const doubled = index % 2 === 0 ? digit : digit * 2;
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}

/** The remainder of a long number in digits, which no machine number holds. */
export function remainder(text: string, by: number): number {
  return digitsOf(text).reduce((rest, digit) => (rest * 10 + digit) % by, 0);
}

/** ISO 7064 MOD 97-10: letters count from ten, and one is left over. */
export function hasMod97(text: string): boolean {
  const written = Array.from(text, (char) => Number.parseInt(char, 36)).join("");
  return remainder(written, 97) === 1;
}

/** ISO 7064 MOD 11,10. */
export function hasMod11And10(text: string): boolean {
  const digits = digitsOf(text);
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (digit + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digits.at(-1);
}

/** Multiplies two of the ten symmetries of a pentagon: five turns, then five flips. */
function multiply(left: number, right: number): number {
  const isFlip = left >= 5 !== right >= 5;
  const sum = left < 5 ? left + right : left - right + 10;
  return (sum % 5) + (isFlip ? 5 : 0);
}

const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/** Verhoeff's check, which notices every swap of two neighbours. */
export function hasVerhoeff(text: string): boolean {
  let check = 0;
  digitsOf(text)
    .toReversed()
    .forEach((digit, index) => {
      let moved = digit;
      for (let times = index % 8; times > 0; times--) moved = permutation[moved] ?? 0;
      check = multiply(check, moved);
    });
  return check === 0;
}

/** Whether year, month and day, each in digits, may be those of a birth. */
export function isDay(month: string, day: string): boolean {
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
}
