import { openMax, type Rule, run, tokenRules } from "../rule.ts";
import { scanJwt, scanWrappedJwt } from "../scanners/jwt.ts";

const jwt = "https://www.rfc-editor.org/rfc/rfc7519";

const paseto = "https://github.com/paseto-standard/paseto-spec";

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
  ...tokenRules([
    {
      kind: "paseto",
      priority: 1,
      source: paseto,
      anchors: ["v1.local.", "v2.local.", "v3.local.", "v4.local.", "v1.public.", "v2.public.", "v3.public.", "v4.public."], // prettier-ignore
      body: [run("word", 60, openMax)],
    },
    {
      kind: "paserk",
      priority: 1,
      source: "https://github.com/paseto-standard/paserk",
      anchors: ["k1.local.", "k2.local.", "k3.local.", "k4.local.", "k1.secret.", "k2.secret.", "k3.secret.", "k4.secret."], // prettier-ignore
      body: [run("word", 42, openMax)],
    },
  ]),
];
