import { bitsAt, charClasses, isAt } from "../chars.ts";
import { pemFillerCharsMax } from "../limits.ts";
import { endsEscape } from "../escapes.ts";
import type { Hit } from "../rule.ts";
import { type Candidate, runEnd, type Scan, spend } from "../scan.ts";

const labelCharsMax = 64;
const bodyCharsMin = 24;
const longPieceChars = 40;
const shortPieceChars = 16;

interface Piece {
  readonly start: number;
  readonly end: number;
}

interface Armour {
  readonly pieces: Piece[];
  /** Base64 of the body, without anything between its lines. */
  body: string;
  /** Place after the closing line, or of the last body character if there is none. */
  end: number;
  isClosed: boolean;
}

/**
 * Finds private keys from their opening line in one forward walk: to the closing line, or to the
 * last line that can be part of the key. Line ends may be raw, escaped at any depth, or blanks;
 * line numbers, diff signs, quotes and commas between the lines are passed over.
 */
export function scanPem(scan: Scan, hit: Hit): void {
  if (hit.start < scan.blockEnd) return;
  const labelEnd = endOfLabel(scan, hit.end);
  if (labelEnd < 0) return;
  const armour = walkArmour(scan, labelEnd, scan.text[hit.start - 1] === "+");
  if (armour.body.length < bodyCharsMin) return;
  scan.blockEnd = armour.end;
  noteArmour(scan, hit, armour, hit.start);
}

/** Finds the rest of a private key whose opening line was cut off, from its closing line. */
export function scanPemTail(scan: Scan, hit: Hit): void {
  if (hit.start < scan.blockEnd) return;
  const labelEnd = endOfLabel(scan, hit.end);
  if (labelEnd < 0) return;
  const start = startOfBody(scan, hit.start);
  if (hit.start - start < bodyCharsMin) return;
  const body = scan.text.slice(start, hit.start).replaceAll(/\\+[nr]|[^A-Za-z0-9+/=]/g, "");
  scan.blockEnd = labelEnd;
  noteArmour(scan, hit, { pieces: [], body, end: labelEnd, isClosed: true }, start);
}

/** Finds key material by how it must begin, for bodies whose opening line is missing. */
export function scanKeyBody(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (hit.start < scan.blockEnd) return;
  // A line end written as an escape ends in a letter, and begins no word.
  if (isAt(text, hit.start - 1, charClasses.base64) && !endsEscape(text, hit.start)) return;
  if (!hit.rule.anchors.some((anchor) => text.startsWith(anchor, hit.start))) return;
  const armour = walkArmour(scan, hit.start);
  if (armour.body.length < longPieceChars) return;
  scan.blockEnd = armour.end;
  noteArmour(scan, hit, armour, hit.start);
}

function noteArmour(scan: Scan, hit: Hit, armour: Armour, start: number): void {
  const shared: Omit<Candidate, "start" | "end"> = {
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: 2000,
    label: hit.rule.kind,
    canonical: armour.body,
    confidence: armour.isClosed ? "high" : "medium",
    layer: "plain",
  };
  let from = start;
  for (const piece of armour.pieces) {
    if (piece.end > armour.end) break;
    if (piece.start > from) scan.candidates.push({ ...shared, start: from, end: piece.start });
    from = piece.end;
  }
  if (armour.end > from) scan.candidates.push({ ...shared, start: from, end: armour.end });
}

/** Place after `… PRIVATE KEY …-----`, or -1 if the label is of another kind. */
function endOfLabel(scan: Scan, from: number): number {
  const window = scan.text.slice(from, from + labelCharsMax);
  spend(scan, labelCharsMax);
  const label = /^ ?(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/.exec(window);
  return label === null ? -1 : from + label[0].length;
}

/**
 * Walks over body lines and what may stand between them. Quotes between lines split the key into
 * pieces, so that a list of lines stays a list; the gaps are kept in `pieces`.
 */
function walkArmour(scan: Scan, from: number, isDiff: boolean = false): Armour {
  const { text } = scan;
  const armour: Armour = { pieces: [], body: "", end: from, isClosed: false };
  let at = from;
  let filler = 0;
  while (at < text.length && filler <= pemFillerCharsMax) {
    if (text.startsWith("-----", at)) {
      closeArmour(scan, armour, at);
      break;
    }
    // The plus sign of an added line is no part of its base64.
    if (isDiff && text[at] === "+" && text[at - 1] === "\n") at++;
    const end = runEnd(scan, at, charClasses.base64Padded);
    if (end === at) {
      const next = stepFiller(text, at, armour);
      if (next < 0) break;
      filler += next - at;
      at = next;
      continue;
    }
    if (isBodyPiece(text, at, end)) {
      armour.body += text.slice(at, end);
      armour.end = end;
      filler = 0;
    } else {
      filler += end - at;
    }
    at = end;
  }
  spend(scan, at - from + 1);
  return armour;
}

function closeArmour(scan: Scan, armour: Armour, at: number): void {
  if (!scan.text.startsWith("-----END", at)) return;
  const tail = /^-----END[A-Z0-9 ]{1,40}-{4,5}/.exec(scan.text.slice(at, at + labelCharsMax));
  armour.end = at + (tail?.[0].length ?? 8);
  armour.isClosed = true;
}

/** Long enough to be a line of a key, or the short last line before the closing one. */
function isBodyPiece(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length >= longPieceChars) return true;
  const piece = text.slice(start, end);
  if (length >= shortPieceChars) return /[0-9+/=]/.test(piece) && /[A-Z]/.test(piece);
  if (piece.endsWith("=")) return length >= 4;
  return /^(?:\s|\\+[nr]|["',+])*-----END/.test(text.slice(end, end + 24)) && !/^\d+$/.test(piece);
}

/** Place after one character (or escape) between lines, or -1 where a key cannot go on. */
function stepFiller(text: string, at: number, armour: Armour): number {
  const char = text[at] as string;
  if (char === "\\") return stepEscape(text, at, armour);
  if (char === '"' || char === "'") return stepQuote(text, at, armour);
  return " \t\r\n,+-:|>*#→.()_".includes(char) || bitsAt(text, at) !== 0 ? at + 1 : -1;
}

function stepEscape(text: string, at: number, armour: Armour): number {
  let end = at;
  while (text[end] === "\\") end++;
  if (/[nrt]/.test(text[end] ?? "")) return end + 1;
  return text[end] === '"' ? stepQuote(text, end, armour, at) : -1;
}

/** A quote ends a line written as a string; the key goes on if another string follows. */
function stepQuote(text: string, at: number, armour: Armour, from: number = at): number {
  const between = /^["'](?:\s|\\+[nrt])*[,+]?(?:\s|\\+[nrt])*\\*["']/.exec(text.slice(at, at + 64));
  if (between === null) return -1;
  const end = at + between[0].length;
  armour.pieces.push({ start: from, end });
  return end;
}

function startOfBody(scan: Scan, end: number): number {
  const { text } = scan;
  const stop = Math.max(scan.blockEnd, end - 8192);
  let start = end;
  let at = end - 1;
  let filler = 0;
  let pieceEnd = -1;
  while (at >= stop && filler <= 24) {
    if (isAt(text, at, charClasses.base64Padded)) {
      if (pieceEnd < 0) pieceEnd = at + 1;
      if (pieceEnd - at >= shortPieceChars) {
        start = at;
        filler = 0;
      } else if (text[at - 1] === "\\") pieceEnd = -1;
    } else {
      pieceEnd = -1;
      filler++;
      if (!" \t\r\n\\,+-|>".includes(text[at] ?? "x")) break;
    }
    at--;
  }
  spend(scan, end - at);
  return text[start - 1] === "\\" ? start + 1 : start;
}
