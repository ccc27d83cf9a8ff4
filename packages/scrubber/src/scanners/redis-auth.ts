import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isGiven } from "./command-value.ts";
import { partOf, readWord, type Word } from "./command-words.ts";
import { skipGap } from "./separator.ts";

/** A prompt of the client, or the client itself; `AUTH` is a word of much else. */
const prompt = (): RegExp =>
  /(?:redis(?:-cli)?|valkey|(?:[\w.-]+|\[[\da-f:]+\]):\d{2,5}(?:\[\d+\])?)(?:\(TX\))?$/i;

/** Finds the password after `AUTH` at a prompt, and in settings of servers and clients. */
export function scanRedisAuth(scan: Scan, hit: Hit): void {
  const { text } = scan;
  spend(scan, 32);
  if (
    text[hit.start] === ">" &&
    !prompt().test(text.slice(Math.max(0, hit.start - 64), hit.start))
  ) {
    return;
  }
  const first = readWord(scan, skipGap(text, hit.end));
  if (first === undefined) return;
  const second = text[hit.start] === ">" ? readSecond(scan, first) : undefined;
  const word = second ?? first;
  const value = partOf(word, 0);
  if (!isGiven(value.value)) return;
  noteNamed(scan, {
    start: value.start,
    end: value.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: 1,
    canonical: value.value,
  });
}

/** With a user before it, the password is the second word. */
function readSecond(scan: Scan, first: Word): Word | undefined {
  const at = skipGap(scan.text, first.end);
  return at === first.end ? undefined : readWord(scan, at);
}
