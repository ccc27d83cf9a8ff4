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

/** Whether `text` stands in `known` by itself: "1 file" is not in "11 files", nor "is 5" in "is 5.5". */
function holds(known: string, text: string): boolean {
  for (let at = known.indexOf(text); at !== -1; at = known.indexOf(text, at + 1)) {
    const before = known.slice(Math.max(0, at - 1), at);
    const after = known.slice(at + text.length);
    if (/^(?:|[\s("'“[])$/u.test(before) && /^(?:$|\s|[.,;:!?)\]"'”…]+(?:\s|$))/u.test(after)) {
      return true;
    }
  }
  return false;
}
