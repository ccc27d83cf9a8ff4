import { placeholderEndAt, placeholderStart } from "../placeholder.ts";
import type { Hit } from "../rule.ts";
import { type Scan, spend } from "../scan.ts";

/** Recognises what already is a placeholder, so that no rule touches it again (SC2). */
export function scanPlaceholder(scan: Scan, hit: Hit): void {
  if (!scan.text.startsWith(placeholderStart, hit.start)) return;
  spend(scan, placeholderStart.length);
  const end = placeholderEndAt(scan.text, hit.start);
  const last = scan.atoms.at(-1);
  if (end < 0 || (last !== undefined && hit.start < last.end)) return;
  scan.atoms.push({ start: hit.start, end });
}
