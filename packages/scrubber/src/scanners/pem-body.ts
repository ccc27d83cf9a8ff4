import { bitsAt, charClasses } from "../chars.ts";
import { skipAnsi } from "../escapes.ts";
import { pemFillerCharsMax } from "../limits.ts";
import { runEnd, type Scan, spend } from "../scan.ts";
import { quoteAt } from "../value.ts";

/** Length from which a run of base64 is a line of a key whatever it holds. */
export const longPieceChars = 40;
/** Length from which it is one if it looks drawn. */
export const shortPieceChars = 16;
/** Most that stands between the strings of a list of lines. */
const gapCharsMax = 96;
/** What tools, code and pages put between two lines of a key. */
const fillerMarks = "│┃║ \t\r\n,+-:|>*#→.()_<&;[]/$!%~@=^";

interface Piece {
  readonly start: number;
  readonly end: number;
}

/** The body of a key and what stands between its lines. */
export interface Armour {
  /** Stretches that stay: from the closing quote of a line to the opening one of the next. */
  readonly pieces: Piece[];
  /** Base64 of the body, without anything between its lines. */
  body: string;
  /** Place after the closing line, or of the last body character if there is none. */
  end: number;
  isClosed: boolean;
}

/** How a body is to be read. */
export interface ArmourReading {
  /** Each line begins with a plus sign, which is no part of its base64. */
  readonly isDiff?: boolean;
  /** Lines after which the body ends, where a header says so. */
  readonly linesMax?: number;
}

/**
 * Walks over body lines and what may stand between them. Quotes between lines split the key into
 * pieces, so that a list of lines stays a list; the gaps are kept in `pieces`.
 */
export function walkArmour(scan: Scan, from: number, reading: ArmourReading = {}): Armour {
  const { text } = scan;
  const armour: Armour = { pieces: [], body: "", end: from, isClosed: false };
  const linesMax = reading.linesMax ?? Infinity;
  let at = from;
  let filler = 0;
  for (let lines = 0; filler <= pemFillerCharsMax && lines < linesMax;) {
    if (reading.isDiff === true && text[at] === "+" && startsLine(text, at)) at++;
    const next = stepArmour(scan, at, armour);
    if (next < 0) break;
    const isBody = armour.end === next;
    if (isBody) lines++;
    filler = isBody ? 0 : filler + next - at;
    at = next;
  }
  spend(scan, at - from + 1);
  return armour;
}

/** Takes a line of the body, or one step over what is none; -1 where the key ends. */
function stepArmour(scan: Scan, at: number, armour: Armour): number {
  const { text } = scan;
  if (text.startsWith("-----", at)) closeArmour(scan, armour, at);
  if (at >= text.length || text.startsWith("-----", at)) return -1;
  const end = runEnd(scan, at, charClasses.base64Padded);
  if (end === at) return stepFiller(text, at, armour);
  if (isBodyPiece(text, at, end)) {
    armour.body += text.slice(at, end);
    armour.end = end;
  }
  return end;
}

/** Whether a line begins at a place, after a line end written in any way. */
function startsLine(text: string, at: number): boolean {
  return text[at - 1] === "\n" || (text[at - 1] === "n" && text[at - 2] === "\\");
}

function closeArmour(scan: Scan, armour: Armour, at: number): void {
  if (!scan.text.startsWith("-----END", at)) return;
  const tail = /^-----END[A-Z0-9 +%]{1,60}-{4,5}/.exec(scan.text.slice(at, at + 80));
  armour.end = at + (tail?.[0].length ?? 8);
  armour.isClosed = true;
}

/** Long enough to be a line of a key, or the short last line before the closing one. */
function isBodyPiece(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length >= longPieceChars) return true;
  const piece = text.slice(start, end);
  if (length >= shortPieceChars) return looksLikeBody(piece);
  if (piece.endsWith("=")) return length >= 4;
  return (
    /^(?:\s|\\+[nr]|["',+]|<[a-z/ ]{1,8}>)*-----END/.test(text.slice(end, end + 32)) &&
    !/^(?:\d+|br\/?)$/.test(piece)
  );
}

/** Whether a run of base64 that is shorter than a line could be the last of one. */
export function looksLikeBody(piece: string): boolean {
  return /[0-9+/=]/.test(piece) && /[A-Z]/.test(piece);
}

/** Place after one character (or escape) between lines, or -1 where a key cannot go on. */
function stepFiller(text: string, at: number, armour: Armour): number {
  const char = text[at] as string;
  const afterColour = char === "\\" || char === "\u001b" ? skipAnsi(text, at) : at;
  if (afterColour > at) return afterColour;
  const quote = quoteAt(text, at);
  if (quote !== undefined) return stepQuote(text, at, quote.written, armour);
  if (char === "\\") return stepEscape(text, at);
  return fillerMarks.includes(char) || bitsAt(text, at) !== 0 ? at + 1 : -1;
}

function stepEscape(text: string, at: number): number {
  let end = at;
  while (text[end] === "\\") end++;
  return /[nrt/]/.test(text[end] ?? "") ? end + 1 : -1;
}

/**
 * A quote ends a line written as a string; the key goes on if another string follows, after what
 * tools put before each line. A name before the next quote means that the list has ended.
 */
function stepQuote(text: string, at: number, written: string, armour: Armour): number {
  const from = at + written.length;
  const next = text.slice(from, from + gapCharsMax).indexOf(written);
  if (next < 0) return -1;
  const between = text.slice(from, from + next);
  // oxlint-disable-next-line no-control-regex -- colours begin with one
  if (!/^\s*(?:\\+[nrt]|[,+.;)&\s]|\u001b\[[\d;]*m|\\+u001b\[[\d;]*m)/.test(between)) return -1;
  if (/[={}]|[A-Za-z_]\w*["'\\]*\s*:\s*(?:\\+["'])?$/.test(between)) return -1;
  const end = from + next + written.length;
  armour.pieces.push({ start: at, end });
  return end;
}
