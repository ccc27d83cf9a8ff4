import type { Rule } from "../rule.ts";
import { scanJwt } from "../scanners/jwt.ts";

/** Tokens that carry their own description. */
export const tokenRules: readonly Rule[] = [
  { id: "jwt", kind: "jwt", anchors: ["eyJ"], scan: scanJwt },
];
