import { free, mapPieces, readMarks, secret, toBase64 } from "./marks.ts";
import type { Random } from "./random.ts";

/** What stands around a snippet when an agent sees it. */
export interface Layer {
  readonly id: string;
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  readonly wrap: (marked: string, random: Random) => string;
  /** Whether the notation alone differs: the same secret has to get the same placeholder. */
  readonly isNotation?: boolean;
  /** Whether it is for secrets that are one value; if "shaped", for those with a shape only. */
  readonly isForValues?: boolean | "shaped";
}

const json = (value: unknown): string => JSON.stringify(value);
const lines = (marked: string, write: (line: string, index: number) => string): string =>
  marked.replaceAll("\r\n", "\n").split("\n").map(write).join("\n");
const padded = (index: number, width: number): string => String(index + 1).padStart(width);

/** Two messages of a transcript; the second holds the text in a tool's result, twice. */
function transcript(marked: string): string {
  const call = { type: "tool_use", name: "Bash", input: { command: "cat settings" } };
  const result = {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", content: marked }] },
    toolUseResult: { stdout: marked, stderr: "", interrupted: false },
  };
  return `${json({ type: "assistant", message: { content: [call] } })}\n${json(result)}\n`;
}

/** A hook's payload whose answer holds JSON that holds JSON. */
function payload(marked: string): string {
  const inner = json({ stdout: marked, code: 0 });
  return json({
    hook_event_name: "PostToolUse",
    tool_response: { content: json({ out: inner }), ok: true },
  });
}

const entity = (piece: string): string =>
  piece
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/** Widths at which terminals and mail programs break lines. */
const columns = [76, 80, 100, 120, 160, 200];
/** Characters of a broken secret that are left on either line. */
const brokenChars = 14;

/** Breaks the first secret at a column, as a terminal does with a long line. */
function wrapped(marked: string, random: Random): string {
  const { text, spans } = readMarks(marked);
  const first = spans.find(({ label }) => label === "secret");
  if (first === undefined || first.end - first.start < 2 * brokenChars + 4) return marked;
  const { start, end } = first;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const before = start - lineStart;
  const column = columns.find(
    (each) => each - before >= brokenChars + 4 && each - before <= end - start - brokenChars,
  );
  const width = column ?? columns.find((each) => each > before + brokenChars + 8) ?? 240;
  const indent = column === undefined ? width - before - random.int(brokenChars + 4, end - start - brokenChars) : 0; // prettier-ignore
  if (indent < 0) return marked;
  const at = lineStart + width - indent;
  const head = `${text.slice(0, lineStart)}${" ".repeat(indent)}${text.slice(lineStart, start)}`;
  return `${head}${free(`${secret(text.slice(start, at))}\n${secret(text.slice(at, end))}`)}${text.slice(end)}`;
}

/** Cuts the text within its last secret, as limits of length do. */
function cut(marked: string, random: Random): string {
  const close = marked.lastIndexOf("\uE001");
  const open = marked.lastIndexOf("\uE000", close);
  const value = marked.slice(open + 1, close);
  if (open < 0 || value.length < 28) return marked;
  const left = random.int(Math.max(24, Math.ceil(value.length / 2)), value.length - 1);
  const end = random.pick(["", free("…"), free("..."), `${free("...")} [truncated]`, "\n[output truncated: 1840 more characters]"]); // prettier-ignore
  const head = marked.slice(0, open + 1 + left);
  const unclosed = count(head, /[\uE002\uE004]/g) - count(head, /[\uE003\uE005]/g);
  return `${head}\uE001${"\uE003".repeat(Math.max(0, unclosed))}${end}`;
}

const withoutMusts = (marked: string): string => marked.replaceAll(/[\uE004\uE005]/g, "");
const toHex = (piece: string): string => Buffer.from(piece).toString("hex");

function count(text: string, pattern: RegExp): number {
  return (text.match(pattern) ?? []).length;
}

const unicodeQuotes = (marked: string): string =>
  json({ out: marked }).replaceAll('\\"', "\\u0022").replaceAll("&", "\\u0026");

/** The ways in which tools show a text. */
export const layers: readonly Layer[] = [
  { id: "plain", weight: 30, isNotation: true, wrap: (marked) => marked },
  { id: "json", weight: 8, isNotation: true, wrap: (marked) => json({ content: marked, n: 1 }) },
  {
    id: "json in json",
    weight: 8,
    isNotation: true,
    wrap: (marked) => json({ content: json({ stdout: marked, code: 0 }), n: 1 }),
  },
  { id: "json in json in json", weight: 5, isNotation: true, wrap: payload },
  { id: "jsonl transcript", weight: 8, isNotation: true, wrap: transcript },
  { id: "json, coded quotes", weight: 2, isNotation: true, wrap: unicodeQuotes },
  { id: "diff, added", weight: 4, wrap: (marked) => `@@ -1,0 +1,4 @@\n${lines(marked, (line) => `+${line}`)}` }, // prettier-ignore
  { id: "diff, removed", weight: 2, wrap: (marked) => `@@ -1,4 +1,0 @@\n${lines(marked, (line) => `-${line}`)}` }, // prettier-ignore
  { id: "cat -n", weight: 3, wrap: (marked) => lines(marked, (line, at) => `${padded(at, 6)}\t${line}`) }, // prettier-ignore
  { id: "numbered by an arrow", weight: 3, wrap: (marked) => lines(marked, (line, at) => `${padded(at, 5)}→${line}`) }, // prettier-ignore
  { id: "grep -n", weight: 2, wrap: (marked) => lines(marked, (line, at) => `${at + 1}:${line}`) },
  { id: "grep -rn", weight: 2, wrap: (marked) => lines(marked, (line, at) => `deploy/app.txt:${at + 1}:${line}`) }, // prettier-ignore
  {
    id: "service prefix",
    weight: 2,
    wrap: (marked) => lines(marked, (line) => `web-1  | ${line}`),
  },
  { id: "timestamped", weight: 2, wrap: (marked) => lines(marked, (line, at) => `2026-03-11T10:11:1${at % 10}.120Z ${line}`) }, // prettier-ignore
  { id: "dim lines", weight: 2, wrap: (marked) => lines(marked, (line) => `\u001b[2m${line}\u001b[0m`) }, // prettier-ignore
  { id: "crlf", weight: 3, isNotation: true, wrap: (marked) => lines(marked, (line) => line).replaceAll("\n", "\r\n") }, // prettier-ignore
  { id: "html entities", weight: 3, isNotation: true, wrap: (marked) => `<pre>${mapPieces(marked, entity)}</pre>` }, // prettier-ignore
  { id: "percent-encoded", weight: 2, wrap: (marked) => `body=${mapPieces(marked, encodeURIComponent)}&n=1` }, // prettier-ignore
  { id: "base64", weight: 3, wrap: (marked) => `{"file": "${toBase64(marked)}", "n": 1}` }, // prettier-ignore
  { id: "base64url", weight: 1, wrap: (marked) => `content: ${toBase64(marked, true)}\n` }, // prettier-ignore
  { id: "base64 twice", weight: 1, wrap: (marked) => `blob=${toBase64(toBase64(marked))}\n` }, // prettier-ignore
  {
    id: "hex",
    weight: 1,

    wrap: (marked) => `dump: ${free(mapPieces(withoutMusts(marked), toHex))}\n`, // prettier-ignore
  },
  { id: "indented", weight: 2, wrap: (marked) => lines(marked, (line) => `        ${line}`) },
  { id: "markdown fence", weight: 3, wrap: (marked) => `Result:\n\n\`\`\`\n${marked}\n\`\`\`\n` },
  { id: "quoted mail", weight: 1, wrap: (marked) => lines(marked, (line) => `> ${line}`) },
  { id: "comment block", weight: 1, wrap: (marked) => lines(marked, (line) => `# ${line}`) },
  { id: "long prose before", weight: 2, wrap: (marked) => `${"The build ran on four workers. ".repeat(40)}\n${marked}` }, // prettier-ignore
  { id: "one long line", weight: 2, wrap: (marked) => `${json({ a: Array.from({ length: 300 }, (_, at) => at) })} ${marked}` }, // prettier-ignore
  { id: "cut off", weight: 4, isForValues: true, wrap: cut },
  { id: "wrapped line", weight: 1, isForValues: "shaped", wrap: wrapped },
];
