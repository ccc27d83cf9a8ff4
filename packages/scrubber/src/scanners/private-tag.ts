import { charClasses, isAt } from "../chars.ts";
import type { Hit } from "../rule.ts";
import { type Scan, spend } from "../scan.ts";

const closing = "</private>";

/** Takes out what a person marked private; a tag left open is private to the end (SC6). */
export function scanPrivateTag(scan: Scan, hit: Hit): void {
  if (hit.start < scan.blockEnd) return;
  const { text } = scan;
  if (isTypeArgument(text, hit)) return;
  const end = endOfTag(text, hit.end);
  spend(scan, end - hit.start);
  scan.blockEnd = end;
  scan.candidates.push({
    start: hit.start,
    end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: 1_000_000,
    label: hit.rule.kind,
    canonical: text.slice(hit.end, end).replace(closing, ""),
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
