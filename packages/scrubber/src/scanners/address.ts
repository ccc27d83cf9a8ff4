import { bitsAt } from "../chars.ts";
import { distinctChars } from "../checks/randomness.ts";
import type { Hit, Part } from "../rule.ts";
import { type AddressRow, addressRows } from "../rules/address-table.ts";
import { type Scan, spend } from "../scan.ts";

/** Rank over named secrets and under armoured keys: the address says what it is. */
const addressRank = 1100;
/** Slashes in an address, as they are and as JSON and queries write them. */
const slash = (): RegExp => /^(?:\\{0,15}\/|%2[fF])/;
const partCharsMax = 512;

let known: ReadonlyMap<string, AddressRow> | undefined;

/**
 * Finds the secret of an address that lets in whoever knows it: after the anchor come parts that
 * stay, such as the path and a public id, and then the parts that are the secret.
 */
export function scanAddress(scan: Scan, hit: Hit): void {
  known ??= new Map(addressRows().map((row, index) => [`address-${index + 1}`, row]));
  const row = known.get(hit.rule.id);
  if (row === undefined) return;
  const [kind, , kept, secret] = row;
  const start = walkParts(scan, hit.end, kept);
  const end = start < 0 ? -1 : walkParts(scan, start, secret);
  if (end < 0 || isSample(scan.text.slice(start, end))) return;
  scan.candidates.push({
    start,
    end,
    kind,
    ruleId: hit.rule.id,
    rank: addressRank,
    label: kind,
    confidence: "high",
    layer: "plain",
  });
}

/** What manuals write where the secret goes. */
function isSample(secret: string): boolean {
  return distinctChars(secret, 4) < 4 || /x{8}|your|example|abcdefgh/i.test(secret);
}

/** Place after parts that follow one another, or -1 if they do not. */
function walkParts(scan: Scan, from: number, parts: readonly Part[]): number {
  const { text } = scan;
  let at = from;
  for (const part of parts) {
    const start = at;
    if (typeof part === "string") at = afterLiteral(text, at, part);
    else while (at - start < part.max && (bitsAt(text, at) & part.mask) !== 0) at++;
    spend(scan, Math.min(partCharsMax, Math.max(1, at - start)));
    if (at < 0 || (typeof part !== "string" && at - start < part.min)) return -1;
  }
  return at;
}

/** Place after a literal, whose slashes may be written as escapes; -1 if it does not follow. */
function afterLiteral(text: string, from: number, literal: string): number {
  let at = from;
  for (const char of literal) {
    if (char === "/") {
      const written = slash().exec(text.slice(at, at + 17));
      if (written === null) return -1;
      at += written[0].length;
    } else if (text[at] === char) at++;
    else return -1;
  }
  return at;
}
