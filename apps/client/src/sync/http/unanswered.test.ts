import { expect, test } from "vitest";
import { unreachable } from "./failures.ts";
import { unansweredBy } from "./unanswered.ts";
import { wayHintOf } from "./way-trouble.ts";

test.each([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "ERR_TLS_CERT_ALTNAME_INVALID",
])("[WR64] %s is a certificate that is not trusted, and may be by the next try", (code) => {
  const failure = unansweredBy(Object.assign(new Error("no"), { code }));
  expect(failure).toMatchObject({ code: "untrusted-certificate", family: "retry" });
  expect(wayHintOf(failure.code)).toContain("NODE_EXTRA_CA_CERTS");
});

test.each([
  ["PROXY_UNUSABLE", "proxy-unusable", "unset it"],
  ["PROXY_UNREACHABLE", "proxy-unreachable", "NO_PROXY"],
  ["PROXY_AUTHENTICATION", "proxy-authentication", "NAME:PASSWORD"],
  ["PROXY_REFUSED", "proxy-refused", "NO_PROXY"],
  ["PROXY_REACHES_NOBODY", "proxy-reaches-nobody", "NO_PROXY"],
])("[WR66] %s is %s, which may pass, with what to set", (cause, code, hint) => {
  const failure = unansweredBy(Object.assign(new Error("no"), { code: cause }));
  expect(failure).toMatchObject({ code, family: "retry" });
  expect(failure.title).toContain("HTTPS_PROXY");
  expect(wayHintOf(code)).toContain(hint);
});

test.each([
  new Error("no"),
  Object.assign(new Error("no"), { code: "ECONNREFUSED" }),
  Object.assign(new Error("no"), { code: 7 }),
  "no",
  null,
  undefined,
])("[WR64] of any other cause nobody answered: %s", (cause) => {
  expect(unansweredBy(cause)).toEqual(unreachable);
  expect(wayHintOf(unreachable.code)).toBeUndefined();
});
