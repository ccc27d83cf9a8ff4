import type { Random } from "./random.ts";

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();

/** Alphabets that templates name. */
export const alphabets = {
  d: digits,
  lo: lower,
  UP: upper,
  al: lower + upper,
  an: digits + upper + lower,
  low: digits + lower,
  up: digits + upper,
  w: `${digits}${upper}${lower}-_`,
  b64: `${upper}${lower}${digits}+/`,
  b32: `${upper}234567`,
  b58: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  hex: `${digits}abcdef`,
  HEX: `${digits}ABCDEF`,
} as const;

/** Name of an alphabet. */
export type Alphabet = keyof typeof alphabets;

/** Draws characters of an alphabet. */
export function chars(random: Random, alphabet: Alphabet, count: number): string {
  const from = alphabets[alphabet];
  let out = "";
  for (let index = 0; index < count; index++) out += from[random.int(0, from.length - 1)];
  return out;
}

/** Draws a random UUID, version 4. */
export function uuid(random: Random): string {
  const hex = chars(random, "hex", 31);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${random.pick(["8", "9", "a", "b"])}${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
}

/**
 * Fills a template: `<an:30>` is thirty letters and digits, `<w:20-40>` a length in between,
 * `<uuid>` a UUID. All else stands for itself.
 */
export function fill(random: Random, template: string): string {
  return template.replaceAll(
    /<(?:uuid|(\w+):(\d+)(?:-(\d+))?)>/g,
    (_, alphabet: Alphabet | undefined, min: string, max: string | undefined) => {
      if (alphabet === undefined) return uuid(random);
      return chars(random, alphabet, random.int(Number(min), Number(max ?? min)));
    },
  );
}

const words =
  "copper lantern harvest meadow bridge silver canyon falcon ginger marble orchard pepper ripple shadow timber velvet walnut winter zephyr anchor bamboo cactus dolphin ember forest glacier".split(
    " ",
  );

/** Draws a plain English noun. */
export function word(random: Random): string {
  return random.pick(words);
}

/** Draws a password as people and generators make them, without characters that need quotes. */
export function password(random: Random): string {
  const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
  const mark = random.pick(["!", "_", "-", ".", "+", "~", "^", "*"]);
  const styles: readonly (() => string)[] = [
    () => `${capital(word(random))}${mark}${random.int(100, 9999)}${chars(random, "lo", 2)}`,
    () => `${chars(random, "an", 7)}${mark}${chars(random, "an", random.int(3, 9))}`,
    () => `${word(random)}${mark}${capital(word(random))}${random.int(10, 99)}`,
    () => chars(random, "an", random.int(14, 24)),
    () => `${chars(random, "low", 5)}${random.int(2, 9)}${chars(random, "UP", 4)}`,
    () => chars(random, "hex", 24),
  ];
  return random.pick(styles)();
}
