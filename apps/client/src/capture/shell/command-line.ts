/** One simple command of a command line: its words, without redirections and wrappers. */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** As it was written. */
  readonly text: string;
  /** Whether the line's exit status may hide this command's: it is piped or followed by `||`, `;`. */
  readonly isMasked: boolean;
}

/** A command line is read up to this many characters. */
const lineCharsMax = 8000;

const hereDocument = /<<-?[ \t]*(['"]?)(\w+)\1[\s\S]*?\n[ \t]*\2(?=\W|$)/gu;
const assignment = (): RegExp => /^[A-Za-z_]\w*=/u;
const redirection = (): RegExp => /^(?:\d*|&)(?:>>?|<)&?(\S*)$/u;
const quotes = new Set(['"', "'", "`"]);
const wrappers = new Set([
  "sudo",
  "time",
  "nohup",
  "env",
  "command",
  "exec",
  "stdbuf",
  "nice",
  "xvfb-run",
]);

/**
 * The simple commands of a shell command line, in order, without `cd`, and without the filters
 * that a pipe feeds (`| tail -5`).
 */
export function simpleCommands(line: string): readonly SimpleCommand[] {
  const joined = line.slice(0, lineCharsMax).replaceAll("\\\n", " ");
  const text = joined.includes("<<") ? joined.replaceAll(hereDocument, " ") : joined;
  const parts = splitParts(text);
  return parts.flatMap((part, index) => {
    if (part.after === "|") return [];
    const words = withoutWrappers(splitWords(part.text));
    if (words.length === 0 || words[0] === "cd") return [];
    const next = parts[index + 1]?.after;
    return [
      { words, text: part.text.trim(), isMasked: next === "|" || next === "||" || next === ";" },
    ];
  });
}

interface Part {
  readonly text: string;
  /** The operator before this part. */
  readonly after: string;
}

/** Cuts at `&&`, `||`, `;`, `|`, `&` and line breaks that stand outside quotes and brackets. */
function splitParts(text: string): readonly Part[] {
  const parts: Part[] = [];
  let start = 0;
  let after = "";
  for (const { index, operator } of operators(text)) {
    parts.push({ text: text.slice(start, index), after });
    start = index + operator.length;
    after = operator === "\n" ? ";" : operator;
  }
  parts.push({ text: text.slice(start), after });
  return parts.filter((part) => part.text.trim() !== "");
}

interface Operator {
  readonly index: number;
  readonly operator: string;
}

function operators(text: string): readonly Operator[] {
  const found: Operator[] = [];
  let quote = "";
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (char === "\\" && quote !== "'") index += 1;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (quotes.has(char)) quote = char;
    else if (char === "(" || char === ")") depth = Math.max(0, depth + (char === "(" ? 1 : -1));
    else if (depth === 0) {
      const operator = operatorAt(text, index);
      if (operator !== "") found.push({ index, operator });
      index += Math.max(0, operator.length - 1);
    }
  }
  return found;
}

function operatorAt(text: string, index: number): string {
  const two = text.slice(index, index + 2);
  if (two === "&&" || two === "||") return two;
  const char = text.charAt(index);
  if (char === "|" || char === ";" || char === "\n") return char;
  const isRedirection = text.charAt(index - 1) === ">" || text.charAt(index + 1) === ">";
  return char === "&" && !isRedirection ? ";" : "";
}

/** Words with their quotes taken off. */
function splitWords(text: string): readonly string[] {
  const pattern = /(?:"(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`|\\.|[^\s"'`\\])+/gu;
  return (text.replace(/^[\s({]+/u, "").match(pattern) ?? []).map((word) =>
    word.replaceAll(/^(["'])([\s\S]*)\1$/gu, "$2"),
  );
}

function withoutWrappers(words: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const target = word.includes("<") || word.includes(">") ? redirection().exec(word) : null;
    if (target !== null) {
      if (target[1] === "") index += 1;
    } else if (kept.length > 0 || !isWrapper(word)) {
      if (kept.length === 0 && word === "timeout") index += 1;
      else kept.push(word);
    }
  }
  return kept;
}

function isWrapper(word: string): boolean {
  return assignment().test(word) || wrappers.has(word) || word === "!";
}
