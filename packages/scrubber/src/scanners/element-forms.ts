import { nextLineStart } from "../line-lead.ts";
import { spend } from "../scan.ts";
import { type Gap, type Separator, skipGap, tie } from "./gap.ts";

/** `<key>NAME</key><string>VALUE</string>`: the name closes one element, the next holds the value. */
export function nextElementForm(gap: Gap): Separator | undefined {
  const { scan, at } = gap;
  const close = /^(?:<|&lt;)\/[\w:.-]{1,32}(?:>|&gt;)/.exec(scan.text.slice(at, at + 48));
  if (close === null) return undefined;
  const closed = at + close[0].length;
  const line = nextLineStart(scan, closed);
  const open = line < 0 ? skipGap(scan.text, closed) : line;
  const tag = /^(?:<|&lt;)[\w:.-]{1,32}(?: [^<>&]{0,64})?(?:>|&gt;)/.exec(
    scan.text.slice(open, open + 112),
  );
  return tag === null ? undefined : tie(gap, "element", open + tag[0].length);
}

const attributes = (): RegExp =>
  /^(?:[\w:.-]{1,32}\s?=\s?\\*["'][^"'<>\n]{0,160}["']\s{0,2}){1,4}>|^(?:[\w:.-]{1,32}=&quot;[^"'<>&\n]{0,160}&quot;\s{0,2}){1,4}&gt;/;

/** `<password encoding="…">VALUE</password>`: attributes stand between. */
export function attributedForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  spend(gap.scan, 16);
  const found = attributes().exec(text.slice(gap.at, gap.at + 320));
  return found === null ? undefined : tie(gap, "element", gap.at + found[0].length);
}

/** Elements whose attribute says what setting they hold, and those that hold texts for readers. */
const settingTag = (): RegExp =>
  /<(entry|prop|property|string|item|param|parameter|setting|variable|field|env|arg|attribute|option|header|cookie|secret|credential|value|key|data|init-param|env-entry)\s+(?:[\w:.-]{1,32}=\\*["'][^"'<>]{0,64}["']\s+){0,3}(?:name|key|id)\s?=\s?\\*["'][\w.:/-]{0,64}$/i;
const readersTags = new Set(["string", "item", "param", "option", "value"]);

/** `<entry key="NAME">VALUE</entry>`, also with a tag around the value. */
export function namedElementForm(gap: Gap): Separator | undefined {
  const { scan, nameStart, at } = gap;
  spend(scan, 16);
  const found = settingTag().exec(scan.text.slice(Math.max(0, nameStart - 160), nameStart));
  if (found === null) return undefined;
  const line = nextLineStart(scan, at + 1);
  const open = line < 0 ? at + 1 : line;
  const inner = /^<value>/i.exec(scan.text.slice(open, open + 8));
  const isReaders = readersTags.has((found[1] as string).toLowerCase());
  const start = open + (inner?.[0].length ?? 0);
  return { ...tie(gap, "element", start), isSpaced: isReaders };
}

/** Place of the value of an element, or of the one inside it that holds no more than the value. */
export function innerElement({ scan, at }: Gap): number {
  const line = nextLineStart(scan, at + 1);
  const open = line < 0 ? at + 1 : line;
  const inner = /^<(?:value|string|text|plain|secret)>/i.exec(scan.text.slice(open, open + 10));
  return inner === null ? at + 1 : open + inner[0].length;
}
