import { bitsAt, charClasses } from "../chars.ts";
import { isMixed, looksRandom } from "../checks/randomness.ts";
import { placeholderStart } from "../placeholder.ts";
import { type Candidate, type Scan, shapedRank, spend } from "../scan.ts";

/** Length from which a secret may have been cut in pieces, and the same where no shape tells it. */
const shapedCharsMin = 16;
const namedCharsMin = 28;
/** Length from which a piece alone on its line is one by its look. */
const pieceCharsMin = 16;
const headCharsMin = 6;
const tailCharsMin = 3;
const piecesMax = 32;
const indentCharsMax = 64;
const pieceCharsMax = 4096;

/** How a piece is joined to the one before. */
interface Joint {
  /** Where the piece begins. */
  readonly start: number;
  /** The quote that closes it, where code joins texts. */
  readonly quote: string;
  /** A mark says that the line goes on. */
  readonly isMarked: boolean;
}

/**
 * Finds how a secret goes on that was cut anywhere: in texts that code joins, after a backslash
 * or the equals sign of mail at a line's end, and on lines that hold nothing else.
 */
export function findContinued(scan: Scan): void {
  if (scan.candidates.length === 0) return;
  const found: Candidate[] = [];
  // What was already found as one over the end of a line.
  const joined = new Set(
    scan.candidates.filter(({ layer }) => layer === "wrapped").map(({ start }) => start),
  );
  for (const candidate of scan.candidates) {
    const { start, end, rank, layer } = candidate;
    if (layer !== "plain" && layer !== "wrapped") continue;
    const least = rank >= shapedRank ? shapedCharsMin : namedCharsMin;
    if (end - start < least || !mayGoOn(scan.text, end)) continue;
    if (layer === "plain" && joined.has(start)) continue;
    notePieces(scan, candidate, found);
  }
  scan.candidates.push(...found);
}

/** The quickest question: a line's end, or a quote before a sign. */
function mayGoOn(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 10 || code === 13) return true;
  if (code === 92 || code === 61) return "\r\n".includes(text[at + 1] ?? "x");
  return (code === 34 || code === 39 || code === 96) && " +.".includes(text[at + 1] ?? "x");
}

function notePieces(scan: Scan, first: Candidate, found: Candidate[]): void {
  const { text } = scan;
  const indent = indentOf(scan, first.start);
  let { start, end } = first;
  for (let count = 0; count < piecesMax; count++) {
    const joint = jointAt(text, end, indent);
    if (joint === undefined) return;
    const stop = endOfPiece(scan, joint.start);
    const isTail = count > 0 && stop - joint.start < end - start;
    if (!isPiece(text.slice(joint.start, stop), joint, isTail) || !isWhole(text, stop, joint)) return; // prettier-ignore
    ({ start } = joint);
    end = stop;
    found.push({ ...first, start, end, canonical: undefined, rank: 0, layer: "plain" });
  }
}

function jointAt(text: string, at: number, indent: string): Joint | undefined {
  const window = text.slice(at, at + indentCharsMax + 16);
  const quoted = /^(["'`])[ \t]{0,2}[+.](?:[ \t]|\r?\n){0,16}\1/.exec(window);
  if (quoted !== null) {
    return { start: at + quoted[0].length, quote: quoted[1] as string, isMarked: true };
  }
  const line = /^([\\=]?)\r?\n([ \t]{0,64})/.exec(window);
  if (line === null) return undefined;
  // The sign of mail fills up base64 as well, so that it is no mark by itself.
  const isMarked = line[1] === "\\";
  if (line[2] !== indent && line[1] === "") return undefined;
  return { start: at + line[0].length, quote: "", isMarked };
}

/** The blanks before the line on which a secret begins, or nothing if that is far. */
function indentOf(scan: Scan, at: number): string {
  const window = scan.text.slice(Math.max(0, at - 160), at);
  spend(scan, 16);
  return /^[ \t]{0,64}/.exec(window.slice(window.lastIndexOf("\n") + 1))?.[0] ?? "";
}

function endOfPiece(scan: Scan, start: number): number {
  let end = start;
  const mask = charClasses.token68;
  while (end - start < pieceCharsMax && (bitsAt(scan.text, end) & mask) !== 0) end++;
  spend(scan, end - start + 1);
  return end;
}

/** Whether a piece is all that its line or its quotes hold. */
function isWhole(text: string, end: number, { quote }: Joint): boolean {
  if (quote !== "") return text[end] === quote;
  return /^(?:["'`]?[ \t]{0,8}(?:$|\r?\n)|\\\r?\n)/.test(text.slice(end, end + 16));
}

/** Lengths of hashes, which stand alone on lines as well. */
const hashes = (): RegExp => /^(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{64}|[\da-f]{8}-[\da-f-]{27})$/i;

function isPiece(piece: string, { isMarked }: Joint, isTail: boolean): boolean {
  if (piece.length < tailCharsMin || isOther(piece)) return false;
  const isDrawn = isMixed(piece);
  if (isTail) return isMarked || isDrawn || /[a-z][A-Z]/.test(piece);
  if (isMarked) return piece.length >= headCharsMin && (isDrawn || looksRandom(piece));
  return piece.length >= pieceCharsMin && isDrawn && isScattered(piece) && !hashes().test(piece);
}

/** A line of another thing: a rule, a setting, a placeholder. */
function isOther(piece: string): boolean {
  return piece.startsWith(placeholderStart) || /^-{3}|^={3}|\.{3}|^https?$|=[^=]/.test(piece);
}

/** Digits and letters in turn, as they are in nothing that was named. */
function isScattered(piece: string): boolean {
  const changes = piece.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)|[a-z](?=[A-Z])/g)?.length ?? 0;
  return changes * 5 >= piece.length;
}
