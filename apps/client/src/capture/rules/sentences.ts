/** A text is read up to this many characters. */
const textCharsMax = 20_000;

/** Parts of a message that are not its author's own prose: code, quotes, tables, rules. */
const codeBlock = /```[\s\S]*?(?:```|$)/gu;
const notProse = (): RegExp => /^\s*(?:>|\||[-=*_]{3,}\s*$|<|\{|\}|\$ )/u;

/** Where a sentence ends: a mark that is no ellipsis, a space, then a capital, a quote or a name. */
const sentenceEnd = (): RegExp => /(?<=[.!?]["')]?)(?<!\.{3})\s+(?=["'(`*]*[A-Z0-9`])/u;

/** The sentences of a message, in order, without code, quotations, tables and list marks. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .slice(0, textCharsMax)
    .replaceAll(codeBlock, "\n")
    .split("\n")
    .filter((line) => !notProse().test(line))
    .map((line) => line.replace(/^\s*(?:[-*+•]|\d+[.)]|#{1,6})\s+/u, "").trim())
    .flatMap((line) => line.split(sentenceEnd()))
    .map((sentence) => sentence.replaceAll("**", "").trim())
    .filter((sentence) => sentence !== "");
}
