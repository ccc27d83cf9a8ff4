import { charClasses } from "../chars.ts";
import { decodeBase64 } from "../checks/base64.ts";
import { startsToken } from "../escapes.ts";
import { jwtHeaderCharsMax } from "../limits.ts";
import type { Hit } from "../rule.ts";
import { noteBreak, runEnd, type Scan, spend, shapedRank } from "../scan.ts";

const partsMax = 5;
/** Enough of a wrapped token to see the end of its header. */
const wrappedCharsMax = 256;

/** Finds JSON web tokens, signed or encrypted; the header must decode to one (SC7). */
export function scanJwt(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (!text.startsWith("eyJ", hit.start) || !startsToken(text, hit.start)) return;
  const headerEnd = runEnd(scan, hit.start, charClasses.word);
  noteBreak(scan, headerEnd);
  if (text[headerEnd] !== "." || headerEnd - hit.start < 8) return;
  if (!isHeader(scan, hit.start, headerEnd)) return;
  let end = headerEnd;
  for (let parts = 1; parts < partsMax && text[end] === "."; parts++) {
    const next = runEnd(scan, end + 1, charClasses.word);
    if (next === end + 1 && parts > 2) break;
    end = next;
  }
  noteBreak(scan, end);
  if (end - headerEnd < 8) return;
  scan.candidates.push({
    start: hit.start,
    end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: shapedRank,
    label: hit.rule.kind,
    confidence: "high",
    layer: "plain",
    valid: true,
  });
}

function isHeader(scan: Scan, start: number, end: number): boolean {
  const looked = Math.min(end, start + jwtHeaderCharsMax);
  spend(scan, looked - start);
  return describesToken(decodeBase64(scan.text.slice(start, looked)));
}

function describesToken(plain: string): boolean {
  return (
    /^\{\s*"/.test(plain) && /"(?:alg|typ|enc|kid|cty|x5t|x5u|jku|zip|nonce|ver)"\s*:/.test(plain)
  );
}

/** Finds a web token that was written in base64 once more; its header must decode twice. */
export function scanWrappedJwt(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (!text.startsWith("ZXlK", hit.start) || !startsToken(text, hit.start)) return;
  const end = runEnd(scan, hit.start, charClasses.base64Any);
  const head = decodeBase64(text.slice(hit.start, Math.min(end, hit.start + wrappedCharsMax)));
  spend(scan, head.length);
  const dot = head.indexOf(".");
  if (dot < 8 || !describesToken(decodeBase64(head.slice(0, dot)))) return;
  scan.candidates.push({
    start: hit.start,
    end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: shapedRank,
    label: hit.rule.kind,
    confidence: "high",
    layer: "base64",
    valid: true,
  });
}
