import type { Hint } from "./finding.ts";
import { isInnocent, isSecretValue } from "./judge.ts";
import { findNamedKind } from "./named-kinds.ts";
import { noteNamed, type Scan, spend } from "./scan.ts";
import { readSecretName } from "./secret-name.ts";

const headerNames = (): RegExp => /^(?:set-cookie|cookie|(?:proxy-)?authorization)$/i;

/** Gives what to put before a leaf so that header rules see the header it belongs to. */
export function prefixFor(hint: Hint): string {
  return hint.name !== undefined && isHeader(hint.name) ? `${hint.name}: ` : "";
}

/** Most names end otherwise: nothing is compiled for those. */
function isHeader(name: string): boolean {
  const folded = name.slice(-13).toLowerCase();
  return (folded.endsWith("cookie") || folded === "authorization") && headerNames().test(name);
}

/** Notes the whole text if its key promises a secret and the text can be one. */
export function noteWhole(scan: Scan, name: string): void {
  const promise = readSecretName(name.slice(-64));
  if (promise === undefined) return;
  const scheme = /^(?:bearer|basic|token|apikey|bot) +(?=\S)/i.exec(scan.text.slice(0, 12));
  const start = scheme?.[0].length ?? 0;
  const value = scan.text.slice(start);
  spend(scan, Math.min(value.length, 256));
  const named = findNamedKind(name.slice(-64), value);
  const setting = { isQuoted: true, isLiteral: false };
  const isSecret = named ? !isInnocent(value, setting) : isSecretValue(value, promise, setting);
  if (!isSecret) return;
  noteNamed(scan, {
    start,
    end: scan.text.length,
    kind: named?.kind ?? (promise.family === "key" ? "api_key" : promise.family),
    ruleId: "json-key",
    canonical: value,
    layer: "json",
  });
}
