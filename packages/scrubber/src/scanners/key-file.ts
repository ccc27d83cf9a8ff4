import { charClasses } from "../chars.ts";
import { decodeBase64 } from "../checks/base64.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, runEnd, type Scan, spend } from "../scan.ts";

const privateLinesMax = 8192;

/** Finds the private lines and the MAC of a PuTTY key file. */
export function scanPuttyKey(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const window = text.slice(hit.end, hit.end + privateLinesMax);
  const lead = /^\s*\d+(?:\s|\\+[nr])+/.exec(window.slice(0, 32));
  spend(scan, 64);
  if (lead === null || hit.start < scan.blockEnd) return;
  const lines = /^(?:[A-Za-z0-9+/=]{4,}?(?:\s|\\+[nr]|$)+)+/.exec(window.slice(lead[0].length));
  if (lines === null) return;
  const raw = lines[0].replace(/(?:\s|\\+[nr])+$/, "");
  spend(scan, raw.length);
  const start = hit.end + lead[0].length;
  scan.blockEnd = start + raw.length;
  noteNamed(scan, {
    start,
    end: start + raw.length,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    label: hit.rule.kind,
    rank: 2000,
    canonical: raw.replaceAll(/\\+[nr]|\s/g, ""),
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
