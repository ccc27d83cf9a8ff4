import { safeLines, safeText } from "../../../platform/terminal.ts";

/**
 * Untrusted text as Markdown that shows just that text (IM11): it makes no heading, link, picture, HTML,
 * list or table, whatever it holds. On one line.
 */
export function markdownText(text: string): string {
  return escapedLine(safeText(text).trim());
}

/** The same for a text of several lines, whose fenced code stays code. */
export function markdownLines(text: string): string {
  const blocks: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const close = (isCode: boolean): void => {
    if (lines.length > 0) blocks.push(isCode ? codeBlock(lines) : paragraphs(lines));
    lines = [];
  };
  for (const line of safeLines(text).split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) {
      close(false);
      fence = mark;
    } else if (fence !== undefined && mark?.startsWith(fence) === true) {
      close(true);
      fence = undefined;
    } else {
      lines.push(line);
    }
  }
  close(fence !== undefined);
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Code between fences that are longer than any within. */
function codeBlock(lines: readonly string[]): string {
  const text = lines.join("\n");
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Lines stay lines: two blanks at the end of one break it. */
function paragraphs(lines: readonly string[]): string {
  return lines
    .map((line) => escapedLine(line.replaceAll("\t", "  ").trim()))
    .join("  \n")
    .replaceAll(/(?: {2}\n)* {2}\n(?: {2}\n)+/gu, "\n\n")
    .replaceAll(/(?:^(?: {2}\n)+|(?: {2}\n)+$)/gu, "")
    .trim();
}

function escapedLine(line: string): string {
  return (
    line
      .replaceAll(/[\\`*[\]<>&~|$]/gu, String.raw`\$&`)
      // An identifier keeps its underscores; at the edge of a word they would be emphasis.
      .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
      // Addresses that a renderer makes links of by itself.
      .replaceAll(/:(?=\/\/)|(?<=\bwww)\.|@/giu, String.raw`\$&`)
      .replaceAll(/(?<=\b(?:mailto|xmpp)):/giu, String.raw`\:`)
      .replace(/^[#+=-]/u, String.raw`\$&`)
      .replace(/^(\d{1,9})([.)])/u, String.raw`$1\$2`)
  );
}
