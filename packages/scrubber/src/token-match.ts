import { bitsAt, charClasses, isAt } from "./chars.ts";
import { readsAsFiller } from "./checks/randomness.ts";
import { skipEscapeTail, startsToken } from "./escapes.ts";
import { truncatedBodyCharsMin } from "./limits.ts";
import type { Run, TokenRule } from "./rule.ts";
import { type Candidate, noteBreak, runEnd, type Scan, spend } from "./scan.ts";

/** Rank of token rules over named ones; longer anchors say more. */
const tokenRank = 1000;

/** Tries a token rule at a hit of its anchor and notes the token if it is one. */
export function matchToken(scan: Scan, rule: TokenRule, anchorStart: number): void {
  const { text } = scan;
  if (!text.startsWith(rule.anchor, anchorStart)) return;
  const start = rule.before ? startBefore(scan, rule.before, anchorStart) : anchorStart;
  if (start < 0 || (start !== scan.lastToken?.end && !startsToken(text, start))) return;
  const bodyStart = anchorStart + rule.anchor.length;
  const reached = bodyEnd(scan, rule, bodyStart);
  const isWhole = reached >= 0;
  const end = isWhole ? reached : ~reached;
  noteBreak(scan, end);
  if (!isWhole && !isCutOff(text, bodyStart, end)) return;
  if (isInLast(scan, rule, start, end)) return;
  spend(scan, Math.min(end - start, 512));
  if (isKept(rule, scan, { start, bodyStart, end })) noteToken(scan, rule, { start, end, isWhole });
}

function noteToken(
  scan: Scan,
  rule: TokenRule,
  { start, end, isWhole }: { start: number; end: number; isWhole: boolean },
): void {
  const valid = rule.valid?.(scan.text, start, end);
  const token: Candidate = {
    start,
    end,
    kind: rule.kind,
    ruleId: rule.id,
    rank: tokenRank + rule.anchor.length,
    label: rule.kind,
    isShared: rule.isShared,
    confidence: isWhole && valid !== false ? (rule.confidence ?? "high") : "medium",
    layer: "plain",
    valid,
  };
  scan.lastToken = token;
  scan.candidates.push(token);
}

/** Whether it lies in the token before, as where an anchor stands in the body again and again. */
function isInLast({ lastToken }: Scan, { id }: TokenRule, start: number, end: number): boolean {
  return lastToken?.ruleId === id && lastToken.end === end && lastToken.start < start;
}

function isKept(
  rule: TokenRule,
  scan: Scan,
  at: { start: number; bodyStart: number; end: number },
): boolean {
  const { start, bodyStart, end } = at;
  if (rule.require) return rule.require(scan.text, start, end);
  const before = scan.text.slice(start, bodyStart - rule.anchor.length);
  return !readsAsFiller(before + scan.text.slice(bodyStart, end));
}

/** End of the body, or the complement of the place where it broke off. */
function bodyEnd(scan: Scan, rule: TokenRule, bodyStart: number): number {
  const { text } = scan;
  let at = bodyStart;
  let tail: Run | undefined;
  for (const part of rule.body) {
    if (typeof part === "string") {
      if (!text.startsWith(part, at)) return ~at;
      at += part.length;
      tail = undefined;
      continue;
    }
    const end = withoutStop(text, Math.min(runEnd(scan, at, part.mask), at + part.max), at);
    if (end - at < part.min) return ~end;
    at = end;
    tail = part;
  }
  const isEnded = tail === undefined || !isAt(text, at, tail.mask & charClasses.alnum);
  return isEnded ? at : ~bodyStart;
}

/** A run may hold dots, but the one that ends a sentence is none of it. */
function withoutStop(text: string, end: number, start: number): number {
  if (text[end - 1] !== "." || end === start) return end;
  return /^(?:\s|["'`)\]]|\\+[nrt"']|$)/.test(text.slice(end, end + 4)) ? end - 1 : end;
}

/** A token that the end of the text or an ellipsis has cut short. */
function isCutOff(text: string, bodyStart: number, end: number): boolean {
  if (end - bodyStart < truncatedBodyCharsMin) return false;
  return end === text.length || text[end] === "…" || text.startsWith("...", end);
}

function startBefore(scan: Scan, before: Run, anchorStart: number): number {
  const { text } = scan;
  let at = anchorStart;
  const stop = anchorStart - before.max;
  while (at > stop && (bitsAt(text, at - 1) & before.mask) !== 0) at--;
  spend(scan, anchorStart - at + 1);
  at = skipEscapeTail(text, at, anchorStart);
  return anchorStart - at >= before.min ? at : -1;
}
