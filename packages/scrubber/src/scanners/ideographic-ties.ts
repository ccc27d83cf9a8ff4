import { type Found, valueAt } from "./spoken-sentence.ts";

/** What ties in scripts without blanks: copulas, particles, marks, and words of change. */
const tieChars = (): RegExp =>
  /^(?:[（(][^（）()\n]{0,24}[）)])?[是为為设設置定成了改更换換变變变変新的被已经經现現在当當前就从從由把：:=＝\-—→>はがをもにへとから今次以下の通りまり後는은이가를을로으도에서현재지금새다음과같습니\\\s\u00a0\u3000、，,「『“‘"'`(（]{0,20}$/u;
const changeChars = (): RegExp => /[改换換变變変更]|[にへ]|에서|(?:으)?로/u;
const asciiRun = (): RegExp =>
  /[\x21\x23-\x26\x2a-\x3b\x3d\x3f-\x5b\x5d-\x5f\x61-\x7b\x7d\x7e]{5,128}/g;
const runsMax = 3;

/** The values after a noun: runs of ASCII with nothing but ties before them. */
export function tiedRuns(window: string): readonly Found[] {
  const found: Found[] = [];
  let from = 0;
  for (const run of window.matchAll(asciiRun())) {
    if (found.length >= runsMax || !tieChars().test(window.slice(from, run.index).trimStart()))
      break;
    if (found.length > 0 && !changeChars().test(window.slice(from))) break;
    const value = valueAt({ start: run.index, text: run[0] });
    if (value === undefined) break;
    found.push(value);
    from = run.index + run[0].length;
  }
  return found;
}
