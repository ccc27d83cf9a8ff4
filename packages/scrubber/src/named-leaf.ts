import type { Hint } from "./finding.ts";
import { isInnocent, isSecretValue } from "./judge.ts";
import { findNamedKind } from "./named-kinds.ts";
import { noteNamed, type Scan, spend } from "./scan.ts";
import { readSecretName } from "./secret-name.ts";
import { userChars } from "./user-pair.ts";

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
  const named = readSecretName(name.slice(-64));
  if (named === undefined) return;
  const user = userChars(name.slice(-64), scan.text);
  const promise = user === 0 ? named : ({ ...named, family: "password", isWeak: false } as const);
  const scheme = /^(?:bearer|basic|token|apikey|bot) +(?=\S)/i.exec(scan.text.slice(0, 12));
  const start = scheme?.[0].length ?? user;
  const value = scan.text.slice(start);
  spend(scan, Math.min(value.length, 256));
  const own = findNamedKind(name.slice(-64), value);
  const setting = { isQuoted: true, isLiteral: promise.isEnv };
  const isSecret = own ? !isInnocent(value, setting) : isSecretValue(value, promise, setting);
  if (!isSecret) return;
  noteNamed(scan, {
    start,
    end: scan.text.length,
    kind: own?.kind ?? (promise.family === "key" ? "api_key" : promise.family),
    ruleId: "json-key",
    canonical: value,
    layer: "json",
  });
}
