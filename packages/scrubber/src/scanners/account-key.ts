import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";

const reachChars = 224;

/** Finds the key of a storage account under a name that goes on with the account's host. */
export function scanAccountKey(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(hit.end, hit.end + reachChars);
  spend(scan, 48);
  const found = /^[\w.-]{3,120}[^\w+/\n][^\n]{0,16}?([\w+/]{86}==)/.exec(window);
  if (found === null) return;
  const end = hit.end + found[0].length;
  const { kind, id } = hit.rule;
  noteNamed(scan, { start: end - 88, end, kind, ruleId: id, confidence: "high" });
}
