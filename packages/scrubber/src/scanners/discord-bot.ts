import { charClasses, isAt } from "../chars.ts";
import { decodeBase64 } from "../checks/base64.ts";
import { startsToken } from "../escapes.ts";
import type { Hit } from "../rule.ts";
import { runEnd, type Scan, spend } from "../scan.ts";

/** Finds the token of a Discord bot: its id in base64, a time, and a signature, parted by dots. */
export function scanDiscordBot(scan: Scan, hit: Hit): void {
  const { text } = scan;
  // Anchors are met in any case, in words by the thousand; ids begin in upper case.
  if (!isAt(text, hit.start, charClasses.upper) || !startsToken(text, hit.start)) return;
  const idEnd = runEnd(scan, hit.start, charClasses.alnum);
  const timeEnd = idEnd + 7;
  if (text[idEnd] !== "." || text[timeEnd] !== "." || !isId(scan, hit.start, idEnd)) return;
  if (runEnd(scan, idEnd + 1, charClasses.word) !== timeEnd) return;
  const end = runEnd(scan, timeEnd + 1, charClasses.word);
  if (end - timeEnd < 25 || end - timeEnd > 64 || isAt(text, end, charClasses.alnum)) return;
  scan.candidates.push({
    start: hit.start,
    end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: 1000,
    label: hit.rule.kind,
    confidence: "high",
    layer: "plain",
    valid: true,
  });
}

function isId(scan: Scan, start: number, end: number): boolean {
  if (end - start < 22 || end - start > 28) return false;
  spend(scan, end - start);
  return /^\d{17,20}$/.test(decodeBase64(scan.text.slice(start, end)));
}
