import { charClasses } from "../chars.ts";
import { decodeBase64 } from "../checks/base64.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, runEnd, type Scan, spend } from "../scan.ts";
import { walkArmour } from "./pem-body.ts";

const headCharsMax = 32;
const privateLinesMax = 256;

/** Finds the private lines of a PuTTY key file; their number stands before them. */
export function scanPuttyKey(scan: Scan, hit: Hit): void {
  const head = /^\s*(\d{1,3})(?=\s|\\+[nr]|<)/.exec(
    scan.text.slice(hit.end, hit.end + headCharsMax),
  );
  spend(scan, headCharsMax);
  if (head === null || hit.start < scan.blockEnd) return;
  const from = hit.end + head[0].length;
  const lead = /^(?:\s|\\+[nr])*/.exec(scan.text.slice(from, from + headCharsMax))?.[0] ?? "";
  const linesMax = Math.min(Number(head[1]), privateLinesMax);
  const armour = walkArmour(scan, from + lead.length, { linesMax });
  if (armour.body === "") return;
  scan.blockEnd = armour.end;
  noteNamed(scan, {
    start: from + lead.length,
    end: armour.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    label: hit.rule.kind,
    rank: 2000,
    canonical: armour.body,
    confidence: "high",
  });
}

/** Finds private keys that are wrapped in base64 as a whole, as kubeconfig has them. */
export function scanWrappedPem(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (!hit.rule.anchors.some((anchor) => text.startsWith(anchor, hit.start))) return;
  if (hit.start < scan.blockEnd) return;
  const plain = decodeBase64(text.slice(hit.start, hit.start + 96));
  spend(scan, 96);
  if (!/^-----BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(plain)) return;
  const end = runEnd(scan, hit.start, charClasses.base64Padded);
  scan.blockEnd = end;
  noteNamed(scan, {
    start: hit.start,
    end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    label: hit.rule.kind,
    rank: 2000,
    confidence: "high",
    layer: "base64",
  });
}
