import type { Rule } from "../rule.ts";
import { scanAuthorization, scanScheme, scanSignature } from "../scanners/authorization.ts";
import { scanCookieHeader, scanSessionCookie } from "../scanners/cookie.ts";
import { scanKeyUri } from "../scanners/key-uri.ts";
import { scanOracleAddress } from "../scanners/oracle-address.ts";
import { scanLinkToken, scanQueryValue } from "../scanners/query.ts";
import { scanUserInfo } from "../scanners/url.ts";

const authentication = "https://www.rfc-editor.org/rfc/rfc7235";
const bearer = "https://www.rfc-editor.org/rfc/rfc6750";
const signatures = "https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html";
const cookies = "https://www.rfc-editor.org/rfc/rfc6265";
const uri = "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1";
const keyUri = "https://github.com/google/google-authenticator/wiki/Key-Uri-Format";

/** Credentials in HTTP headers and in URLs: names, schemes, hosts and paths stay. */
export const headerAndUrlRules: readonly Rule[] = [
  {
    id: "scheme",
    kind: "bearer_token",
    priority: 1,
    source: bearer,
    anchors: ["bearer", "basic"],
    scan: scanScheme,
  },
  {
    id: "authorization",
    kind: "authorization",
    priority: 1,
    source: authentication,
    anchors: ["authorization"],
    scan: scanAuthorization,
  },
  {
    id: "signature",
    kind: "signature",
    priority: 1,
    source: signatures,
    anchors: ["signature=", "sig=", "response=", "signature%3d", "sig%3d"],
    scan: scanSignature,
  },
  {
    id: "cookie-header",
    kind: "session_cookie",
    priority: 1,
    source: cookies,
    anchors: ["cookie"],
    contextual: true,
    scan: scanCookieHeader,
  },
  {
    id: "session-cookie",
    kind: "session_cookie",
    priority: 1,
    source: cookies,
    anchors: ["sessionid", "connect.sid", "sessid", "_session", ".aspxauth", "__host-", "__secure-", "session-token"], // prettier-ignore
    scan: scanSessionCookie,
  },
  {
    id: "url-userinfo",
    kind: "url_password",
    priority: 1,
    source: uri,
    anchors: ["://", ":\\/\\/"],
    scan: scanUserInfo,
  },
  {
    id: "oracle-address",
    kind: "oracle_password",
    priority: 1,
    source: "https://docs.oracle.com/en/database/oracle/oracle-database/23/jjdbc/",
    anchors: ["oracle:thin:", "oracle:oci:"],
    scan: scanOracleAddress,
  },
  {
    id: "query-value",
    kind: "query_token",
    priority: 1,
    source: "https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2",
    anchors: ["key=", "code=", "ticket=", "session=", "sid=", "jwt=", "verifier=", "hmac=", "auth=", "hash=", "tk=", "sign="], // prettier-ignore
    contextual: true,
    scan: scanQueryValue,
  },
  {
    id: "link-token",
    kind: "link_token",
    priority: 1,
    source: "https://cheatsheetseries.owasp.org/cheatsheets/Forgot_Password_Cheat_Sheet.html",
    anchors: ["reset-password/", "reset_password/", "resetpassword/", "password-reset/", "password_reset/", "password/reset/", "/reset/", "/password/", "set-password/", "/magic/", "magic-link/", "magic_link/", "magiclink/", "/verify/", "verify-email/", "/confirm/", "confirm-email/", "/confirmation/", "/activate/", "/activation/", "/invite/", "/invites/", "/invitation/", "/invitations/", "/unlock/", "/recover/", "/unsubscribe/"], // prettier-ignore
    contextual: true,
    scan: scanLinkToken,
  },
  {
    id: "otpauth",
    kind: "totp_secret",
    priority: 1,
    source: keyUri,
    anchors: ["otpauth://"],
    scan: scanKeyUri,
  },
];
