import { expect, test } from "vitest";
import { unreachable } from "./failures.ts";
import { unansweredBy } from "./unanswered.ts";
import { untrusted } from "./untrusted.ts";

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
  expect(unansweredBy(Object.assign(new Error("no"), { code }))).toEqual(untrusted);
  expect(untrusted.family).toBe("retry");
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
});
