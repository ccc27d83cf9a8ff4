const controlSequences =
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?)|[\u0000-\u0008\u000B-\u001F\u007F]/gu;

/** The text on one line, at most `max` characters, with an ellipsis where it was cut at a word. */
export function oneLine(text: string, max: number): string {
  const line = text
    .slice(0, max * 8)
    .replaceAll(/\s+/gu, " ")
    .trim();
  if (line.length <= max) return line;
  const head = line.slice(0, max - 1);
  const space = head.lastIndexOf(" ");
  return `${wholeEnd(space > max * 0.6 ? head.slice(0, space) : head)}…`;
}

/** Text of at most `max` characters: its beginning and its end, where output says most. */
export function clipMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Math.floor(max / 3);
  const tail = max - head - 3;
  return `${wholeEnd(text.slice(0, head))}\n…\n${text.slice(-tail).replace(/^[\uDC00-\uDFFF]/u, "")}`;
}

/** The beginning of a text, at most `max` characters, line breaks kept. */
export function clipEnd(text: string, max: number): string {
  return text.length <= max ? text : `${wholeEnd(text.slice(0, max - 1))}…`;
}

/** Text without terminal colours and control characters; carriage returns become line breaks. */
export function plainText(text: string): string {
  const lines = text.includes("\r") ? text.replaceAll(/\r\n?/gu, "\n") : text;
  return lines.replaceAll(controlSequences, "");
}

const quotePairs: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "„": "“",
  "‘": "’",
};

/** A text without the pair of quote marks around it; a quote within it stays. */
export function unquoted(text: string): string {
  const [open = ""] = text;
  const close = quotePairs[open];
  if (close === undefined || text.length < 3 || !text.endsWith(close)) return text;
  const inner = text.slice(1, -1);
  return inner.includes(open) || inner.includes(close) ? text : inner;
}

/** A cut must not leave the first half of a surrogate pair behind. */
function wholeEnd(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/u, "");
}
