import type { Finding } from "./finding.ts";
import { writePlaceholder } from "./placeholder.ts";
import type { Span } from "./spans.ts";
import type { Tagger } from "./tagger.ts";

/** A stretch of a text and how long what took its place is. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly written: number;
}

/** A text with placeholders in it, and what was done to get there. */
export interface Rewritten {
  readonly text: string;
  readonly edits: readonly Edit[];
  /** Findings in the coordinates of the text that was rewritten. */
  readonly findings: readonly Finding[];
}

/** Puts a placeholder in the place of every span, in one go. */
export function rewriteSpans(text: string, spans: readonly Span[], tagOf: Tagger): Rewritten {
  const edits: Edit[] = [];
  const findings: Finding[] = [];
  let out = "";
  let from = 0;
  for (const { start, end, lead, kind, label, canonical } of spans) {
    const tag = tagOf(canonical, lead.isGuessable);
    const quote = lead.quote ?? "";
    const written = quote + writePlaceholder(label, tag) + quote;
    out += text.slice(from, start) + written;
    from = end;
    edits.push({ start, end, written: written.length });
    findings.push({
      kind,
      ruleId: lead.ruleId,
      start,
      end,
      placeholderTag: tag,
      confidence: lead.confidence,
      layer: lead.layer,
      ...(lead.valid === undefined ? {} : { valid: lead.valid }),
    });
  }
  return { text: out + text.slice(from), edits, findings };
}

/**
 * Maps a stretch of a rewritten text back to the text before; what lies in a placeholder maps to
 * all that the placeholder replaced.
 */
export function mapBack(
  span: { readonly start: number; readonly end: number },
  edits: readonly Edit[],
): { start: number; end: number } {
  return { start: placeBack(span.start, edits, "start"), end: placeBack(span.end, edits, "end") };
}

function placeBack(place: number, edits: readonly Edit[], side: "start" | "end"): number {
  let grown = 0;
  for (const edit of edits) {
    const start = edit.start + grown;
    if (place <= start) break;
    if (place < start + edit.written) return edit[side];
    grown += edit.written - (edit.end - edit.start);
  }
  return place - grown;
}
