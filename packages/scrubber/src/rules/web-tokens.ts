import type { Rule } from "../rule.ts";
import { scanJwt, scanWrappedJwt } from "../scanners/jwt.ts";

const jwt = "https://www.rfc-editor.org/rfc/rfc7519";

/** Tokens that carry their own description. */
export const webTokenRules: readonly Rule[] = [
  { id: "jwt", kind: "jwt", priority: 1, source: jwt, anchors: ["eyJ"], scan: scanJwt },
  {
    id: "wrapped-jwt",
    kind: "wrapped_jwt",
    priority: 1,
    source: jwt,
    anchors: ["ZXlK"],
    scan: scanWrappedJwt,
  },
];
