import type { Rule } from "../rule.ts";
import { scanAuthorization, scanScheme, scanSignature } from "../scanners/authorization.ts";
import { scanCookieHeader, scanSessionCookie } from "../scanners/cookie.ts";
import { scanUserInfo } from "../scanners/url.ts";

/** Credentials in HTTP headers and in URLs: names, schemes, hosts and paths stay. */
export const headerAndUrlRules: readonly Rule[] = [
  { id: "scheme", kind: "bearer_token", anchors: ["bearer", "basic"], scan: scanScheme },
  {
    id: "authorization",
    kind: "authorization",
    anchors: ["authorization"],
    scan: scanAuthorization,
  },
  {
    id: "signature",
    kind: "signature",
    anchors: ["signature=", "sig=", "response=", "signature%3d", "sig%3d"],
    scan: scanSignature,
  },
  {
    id: "cookie-header",
    kind: "session_cookie",
    anchors: ["cookie"],
    contextual: true,
    scan: scanCookieHeader,
  },
  {
    id: "session-cookie",
    kind: "session_cookie",
    anchors: ["sessionid", "connect.sid", "sessid", "_session", ".aspxauth", "__host-", "__secure-", "session-token"], // prettier-ignore
    scan: scanSessionCookie,
  },
  { id: "url-userinfo", kind: "url_password", anchors: ["://", ":\\/\\/"], scan: scanUserInfo },
];
