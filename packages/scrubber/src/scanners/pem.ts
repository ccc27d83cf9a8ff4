import { charClasses, isAt } from "../chars.ts";
import { endsEscape } from "../escapes.ts";
import type { Hit } from "../rule.ts";
import { type Candidate, type Scan, spend } from "../scan.ts";
import { walkArmour, type Armour } from "./pem-body.ts";
import { startOfBody } from "./pem-tail.ts";

const labelCharsMax = 80;
const bodyCharsMin = 24;
const bareBodyCharsMin = 40;

/**
 * Finds private keys from their opening line in one forward walk: to the closing line, or to the
 * last line that can be part of the key. Line ends may be raw, escaped at any depth, tags, or
 * blanks; line numbers, times, file names, diff signs, colours, quotes and commas between the
 * lines are passed over.
 */
export function scanPem(scan: Scan, hit: Hit): void {
  if (hit.start < scan.blockEnd) return;
  const labelEnd = endOfLabel(scan, hit.end);
  if (labelEnd < 0) return;
  const armour = walkArmour(scan, labelEnd, { isDiff: scan.text[hit.start - 1] === "+" });
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
  // The lines are walked once more from the first, so that the strings of a list stay strings.
  const armour = walkArmour(scan, start);
  scan.blockEnd = Math.max(labelEnd, armour.end);
  noteArmour(scan, hit, { ...armour, end: scan.blockEnd, isClosed: true }, start);
}

/** Finds key material by how it must begin, for bodies whose opening line is missing. */
export function scanKeyBody(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (hit.start < scan.blockEnd) return;
  // A line end written as an escape ends in a letter, and begins no word.
  if (isAt(text, hit.start - 1, charClasses.base64) && !endsEscape(text, hit.start)) return;
  if (!hit.rule.anchors.some((anchor) => text.startsWith(anchor, hit.start))) return;
  const armour = walkArmour(scan, hit.start);
  if (armour.body.length < bareBodyCharsMin) return;
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
  const label = /^(?: |\+|%20)?(?:[A-Z0-9]+(?: |\+|%20)){0,4}PRIVATE(?: |\+|%20)KEY(?:(?: |\+|%20)BLOCK)? ?-{4,5}/.exec(window); // prettier-ignore
  return label === null ? -1 : from + label[0].length;
}
