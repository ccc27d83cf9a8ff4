import { charClasses } from "../chars.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, runEnd, type Scan, spend } from "../scan.ts";

const uriCharsMax = 320;
const secretCharsMin = 8;

/** Finds the secret of a one-time password in the address that a QR code holds. */
export function scanKeyUri(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(hit.end, hit.end + uriCharsMax);
  const lead = /^[^\s"'<>]{0,256}?[?&;]secret=/i.exec(window);
  spend(scan, lead === null ? window.length : lead[0].length);
  if (lead === null) return;
  const start = hit.end + lead[0].length;
  const end = runEnd(scan, start, charClasses.alnum);
  if (end - start < secretCharsMin) return;
  noteNamed(scan, { start, end, kind: hit.rule.kind, ruleId: hit.rule.id, confidence: "high" });
}
