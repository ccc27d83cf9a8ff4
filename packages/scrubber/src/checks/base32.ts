import { charClasses, isAt } from "../chars.ts";

/** Whether a token of four letters and an id has the id in base 32: it holds an AWS account. */
export function hasBase32Id(text: string, start: number, end: number): boolean {
  for (let at = start + 4; at < end; at++) {
    if (!isAt(text, at, charClasses.base32)) return false;
  }
  return true;
}
