import { charClasses, isAt } from "../chars.ts";
import type { Hit } from "../rule.ts";
import { type Scan, spend } from "../scan.ts";

const closing = "</private>";
const closingInHtml = "&lt;/private&gt;";
const htmlCharsMax = 8192;

/** Takes out what a person marked private; a tag left open is private to the end (SC6). */
export function scanPrivateTag(scan: Scan, hit: Hit): void {
  if (hit.start < scan.blockEnd) return;
  const { text } = scan;
  if (isTypeArgument(text, hit)) return;
  note(scan, hit, endOfTag(text, hit.end), closing);
}

/** The same in HTML, where it is shown as it was typed: there a tag without an end is about tags. */
export function scanPrivateInHtml(scan: Scan, hit: Hit): void {
  if (hit.start < scan.blockEnd) return;
  const at = scan.text.slice(hit.end, hit.end + htmlCharsMax).indexOf(closingInHtml);
  if (at < 0) spend(scan, htmlCharsMax / 8);
  else note(scan, hit, hit.end + at + closingInHtml.length, closingInHtml);
}

function note(scan: Scan, hit: Hit, end: number, closedBy: string): void {
  spend(scan, end - hit.start);
  scan.blockEnd = end;
  scan.candidates.push({
    start: hit.start,
    end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: 1_000_000,
    label: hit.rule.kind,
    canonical: scan.text.slice(hit.end, end).replace(closedBy, ""),
    confidence: "high",
    layer: "plain",
  });
}

/** `Local<Private>` is code: in other case than `<private>` the tag may not follow a word. */
function isTypeArgument(text: string, hit: Hit): boolean {
  return isAt(text, hit.start - 1, charClasses.ident) && !text.startsWith("<private>", hit.start);
}

/** Tags may nest: the span ends where as many have closed as were opened. */
function endOfTag(text: string, from: number): number {
  const tags = /<(\/?)private>/gi;
  tags.lastIndex = from;
  let open = 1;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    open += tag[1] === "" ? 1 : -1;
    if (open === 0) return tags.lastIndex;
  }
  return text.length;
}
