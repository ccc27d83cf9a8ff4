/**
 * The parts of an observation's text without what an earlier part says already (RC14): sentences of
 * the narrative that the title holds, facts that the title, the narrative or another fact holds.
 * Rules that make observations quote the same words in all three, and each costs its tokens.
 */
export function withoutRepeats(
  title: string,
  narrative: string,
  facts: readonly string[],
): readonly string[] {
  const seen = [plain(title)];
  const sentences = narrative.split("\n").map((line) => newSentences(line, seen));
  const story = sentences.filter((line) => line !== undefined).join("\n");
  seen.push(plain(narrative));
  const kept = facts.filter((fact) => {
    const isKnown = isIn(seen, fact);
    seen.push(plain(fact));
    return !isKnown;
  });
  const isTitleCut = title.endsWith("…") && plain(story).startsWith(plain(title.slice(0, -1)));
  return [isTitleCut && story !== "" ? "" : title, story, ...kept].filter((part) => part !== "");
}

/** A line as it is, without the sentences that are known; undefined where all of them are. */
function newSentences(line: string, seen: readonly string[]): string | undefined {
  const sentences = line.split(/(?<=[.!?])\s+/u);
  const known = new Map([...new Set(sentences)].map((each) => [each, isIn(seen, each)]));
  const fresh = sentences.filter((sentence) => known.get(sentence) !== true);
  if (fresh.length === sentences.length) return line;
  return fresh.length === 0 ? undefined : fresh.join(" ");
}

function isIn(seen: readonly string[], text: string): boolean {
  const wanted = plain(text);
  return wanted !== "" && seen.some((known) => holds(known, wanted));
}

/** Case, backticks, white space and the mark at the end make no other sentence. */
function plain(text: string): string {
  const spaced = text.toLowerCase().replaceAll("`", "").replaceAll(/\s+/gu, " ");
  return spaced.trim().replace(/[.!?;:,]+$/u, "");
}

/** Before what stands by itself, where it is not the beginning; white space is one blank here. */
const opener = (): RegExp => /[ ("'“[]/gu;
/** Behind it, before a blank or the end. */
const closers = new Set(`.,;:!?)]"'”…`);

/**
 * Whether `text` stands in `known` by itself: "1 file" is not in "11 files", nor "is 5" in "is 5.5".
 * What cannot be the beginning or the end is passed over at once, since members may have written
 * texts that occur at every letter.
 */
function holds(known: string, text: string): boolean {
  const before = opener();
  /** Where a run of closers ends behind which something goes on. */
  let goesOnAt = 0;
  let at = known.indexOf(text);
  while (at !== -1) {
    before.lastIndex = Math.max(0, at - 1);
    const begins = at === 0 ? 0 : (before.exec(known)?.index ?? known.length) + 1;
    if (begins > at) {
      at = known.indexOf(text, begins);
      continue;
    }
    const end = at + text.length;
    if (end > goesOnAt) {
      const next = behindClosers(known, end);
      if (next === known.length || known[next] === " ") return true;
      goesOnAt = next;
    }
    at = known.indexOf(text, at + 1);
  }
  return false;
}

function behindClosers(text: string, from: number): number {
  let at = from;
  while (closers.has(text.charAt(at))) at += 1;
  return at;
}
