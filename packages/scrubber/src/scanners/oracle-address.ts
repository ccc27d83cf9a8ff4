import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isGiven } from "./command-value.ts";

const loginCharsMax = 160;

/** Finds the password in the address of an Oracle database: `thin:user/…@host`. */
export function scanOracleAddress(scan: Scan, hit: Hit): void {
  const login = /^[\w$#.-]{1,64}\/([^\s@"'/\\]{3,64})@/.exec(
    scan.text.slice(hit.end, hit.end + loginCharsMax),
  );
  spend(scan, 16);
  if (login === null || !isGiven(login[1] as string)) return;
  const end = hit.end + login[0].length - 1;
  noteNamed(scan, {
    start: end - (login[1] as string).length,
    end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    confidence: "high",
  });
}
