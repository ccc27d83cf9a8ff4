/**
 * Texts in which characters of the private-use area mark what a label says of a stretch. They
 * come through `JSON.stringify` and joins unharmed, so labels survive any nesting of notations.
 */
const marks = {
  secret: ["\uE000", "\uE001"],
  free: ["\uE002", "\uE003"],
  must: ["\uE004", "\uE005"],
} as const;

/** What a label says: it has to go, it may go or stay, it has to stay. */
export type Label = keyof typeof marks;

/** A labelled stretch of a text. */
export interface Span {
  readonly label: Label;
  readonly start: number;
  readonly end: number;
}

/** A text and its labels. */
export interface Labelled {
  readonly text: string;
  readonly spans: readonly Span[];
}

function wrap(label: Label, text: string): string {
  const [open, close] = marks[label];
  return `${open}${text}${close}`;
}

/** Marks what has to go. */
export function secret(text: string): string {
  return wrap("secret", text);
}

/** Marks what may go with a secret, such as the armour of a key. */
export function free(text: string): string {
  return wrap("free", text);
}

/** Marks what a memory needs: hosts, paths, users, names. */
export function must(text: string): string {
  return wrap("must", text);
}

const labelByOpen = new Map<string, Label>(
  Object.entries(marks).map(([label, [open]]) => [open, label as Label]),
);
const closes = new Set<string>(Object.values(marks).map(([, close]) => close));

/** Takes the marks out of a text and says where they stood. */
export function readMarks(marked: string): Labelled {
  const spans: Span[] = [];
  const open: { readonly label: Label; readonly start: number }[] = [];
  let text = "";
  for (const piece of marked.split(/([\uE000-\uE005])/)) {
    const label = labelByOpen.get(piece);
    if (label !== undefined) open.push({ label, start: text.length });
    else if (closes.has(piece)) {
      const begun = open.pop();
      if (begun === undefined) throw new Error("a mark closes that was never opened");
      spans.push({ ...begun, end: text.length });
    } else text += piece;
  }
  if (open.length > 0) throw new Error("a mark was never closed");
  return { text, spans };
}

/** Takes the marks out. */
export function unmarked(marked: string): string {
  return marked.replaceAll(/[\uE000-\uE005]/g, "");
}

/** Rewrites each stretch between two marks by an encoding that needs no context. */
export function mapPieces(marked: string, encode: (piece: string) => string): string {
  return marked
    .split(/([\uE000-\uE005])/)
    .map((piece) => (/^[\uE000-\uE005]$/.test(piece) ? piece : encode(piece)))
    .join("");
}

/**
 * Encodes a marked text by base64; each secret keeps its mark on the characters that carry a bit
 * of it, and the whole run may go. What had to stay is no longer readable, so it need not stay.
 */
export function toBase64(marked: string, isUrlSafe: boolean = false): string {
  const { text, spans } = readMarks(marked);
  const encoded = Buffer.from(text).toString(isUrlSafe ? "base64url" : "base64");
  const bytesTo = (index: number): number => Buffer.byteLength(text.slice(0, index));
  const merged: { start: number; end: number }[] = [];
  for (const { label, start, end } of spans.toSorted((left, right) => left.start - right.start)) {
    if (label !== "secret") continue;
    const from = Math.floor(bytesTo(start) / 3) * 4;
    const to = Math.min(encoded.length, Math.ceil(bytesTo(end) / 3) * 4);
    const last = merged.at(-1);
    if (last !== undefined && last.end >= from) last.end = to;
    else merged.push({ start: from, end: to });
  }
  let out = "";
  let at = 0;
  for (const { start, end } of merged) {
    out += encoded.slice(at, start) + secret(encoded.slice(start, end));
    at = end;
  }
  return free(out + encoded.slice(at));
}
