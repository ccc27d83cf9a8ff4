import type { Environment } from "./paths.ts";

/** What a stream of text ends in. */
export interface Terminal {
  readonly isTty: boolean;
  /** Columns; 80 where nobody knows. */
  readonly width: number;
  readonly hasColour: boolean;
}

/** Describes the terminal behind a stream; `NO_COLOR` and a dumb terminal take colours away. */
export function terminalOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Environment,
): Terminal {
  const isTty = stream.isTTY === true;
  const isPlain = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return { isTty, width: stream.columns ?? 80, hasColour: isTty && !isPlain };
}

// C0 and C1 controls and DEL, bidirectional controls, zero-width characters, tag characters,
// other format characters and lone surrogates: a terminal acts on them or a reader cannot see them.
// Line feed and tab are kept apart by the caller's choice below.
const invisible = (): RegExp =>
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{115F}\u{1160}\u{3164}\u{FFA0}]/gu;
const marks = (): RegExp => /(\p{M}{4})\p{M}+/gu;

/**
 * Untrusted text made fit for a terminal and for an agent (OPS47): one line, no control, bidirectional, zero-width
 * or tag characters, at most four combining marks on a letter, cut at `widthMax` characters.
 */
export function safeText(text: string, widthMax: number = Number.POSITIVE_INFINITY): string {
  return cutAt(safeLines(text).replace(/[\n\t]/gu, " "), widthMax);
}

/** The same with line feeds and tabs kept, for a text of several lines. */
export function safeLines(text: string): string {
  return text
    .replace(/\r\n?/gu, "\n")
    .replace(invisible(), (char) => (char === "\n" || char === "\t" ? char : ""))
    .replace(marks(), "$1");
}

function cutAt(text: string, widthMax: number): string {
  if (text.length <= widthMax) return text;
  const characters = Array.from(text);
  if (characters.length <= widthMax) return text;
  return `${characters.slice(0, Math.max(0, widthMax - 1)).join("")}…`;
}
