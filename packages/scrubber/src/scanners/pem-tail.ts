import { charClasses, isAt } from "../chars.ts";
import { type Scan, spend } from "../scan.ts";
import { longPieceChars, looksLikeBody, shortPieceChars } from "./pem-body.ts";

const tailCharsMax = 8192;
/** Most that tools put between two lines: a file's name, a number, a time, a colour. */
const fillerCharsMax = 96;
const fillerMarks = " \t\r\n\\,+-|>:→.;&#'\"()[]*_<\u001b/$^";

/**
 * Gives where the body of a key begins whose closing line stands at `end`: a walk backwards from
 * line to line. The last line may be short; what is short before it is filler.
 */
export function startOfBody(scan: Scan, end: number): number {
  const { text } = scan;
  const stop = Math.max(scan.blockEnd, end - tailCharsMax);
  let start = end;
  let at = end;
  let filler = 0;
  while (at > stop && filler <= fillerCharsMax) {
    const pieceEnd = at;
    while (at > stop && isAt(text, at - 1, charClasses.base64Padded)) at--;
    const from = at + skipLineEnd(text, at, pieceEnd);
    if (isPiece(text.slice(from, pieceEnd), start === end)) {
      start = from;
      filler = 0;
    } else filler += pieceEnd - at;
    if (at <= stop || !fillerMarks.includes(text[at - 1] ?? "x")) break;
    // Three in a row are of an opening line, which has looked at what follows it.
    if (text.startsWith("---", at - 3)) break;
    at--;
    filler++;
  }
  spend(scan, end - at + 1);
  return start;
}

/** Length of the letter of an escaped line end that a walk backwards ran into. */
function skipLineEnd(text: string, at: number, end: number): number {
  return end > at && text[at - 1] === "\\" && "nrt".includes(text[at] ?? "x") ? 1 : 0;
}

function isPiece(piece: string, isLast: boolean): boolean {
  if (piece.length >= longPieceChars) return true;
  if (piece.length >= shortPieceChars) return looksLikeBody(piece);
  return isLast && piece.length >= 4 && /=$|[A-Z].*[a-z0-9]|[a-z0-9].*[A-Z]/.test(piece);
}
