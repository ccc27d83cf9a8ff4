import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** What a developer asks, and what answers it. */
export interface Question {
  readonly text: string;
  /** How it asks: by other words, a name, an error, a file, or vaguely. */
  readonly kind: string;
  /** Ids of observations. */
  readonly answers: readonly string[];
  /** Nothing was tuned on it. */
  readonly isHeldBack: boolean;
}

/** Reads the questions; each answer has to be the beginning of exactly one of `ids`. */
export function readQuestions(ids: readonly string[]): readonly Question[] {
  const text = readFileSync(new URL("./questions.tsv", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [answers = "", kind = "", question = ""] = line.split("\t");
    return {
      text: question,
      kind,
      answers: answers.split(" ").map((beginning) => wholeId(ids, beginning)),
      isHeldBack: isHeldBack(question),
    };
  });
}

function wholeId(ids: readonly string[], beginning: string): string {
  const [id, ...others] = ids.filter((each) => each.startsWith(beginning));
  if (id === undefined || others.length > 0) throw new Error(`no single ${beginning}`);
  return id;
}

/** A third, by the hash of its words: nobody chooses which. */
function isHeldBack(question: string): boolean {
  return createHash("sha256").update(question).digest().readUInt32BE(0) % 3 === 0;
}
