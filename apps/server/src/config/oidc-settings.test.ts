import { fail, ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { readConfig, settingsInForce, type ConfigSources } from "./config.ts";
import { parseOidcIssuer } from "./parsers.ts";

const sources = (env: Readonly<Record<string, string>>): ConfigSources => ({
  env: { HOME: "/h", ...env },
  flags: {},
  readSecret: (path) => (path === "/run/secrets/oidc" ? ok("a-secret\n") : fail("unreadable")),
});

test("[CO13] an issuer is reached by https, or on this machine, and is nothing but an issuer", () => {
  for (const right of ["", "https://login.example", "https://login.example/realms/acme"]) {
    expect(parseOidcIssuer(right)).toEqual({ ok: true, value: right });
  }
  expect(parseOidcIssuer("http://127.0.0.1:9000").ok).toBe(true);
  expect(parseOidcIssuer("http://[::1]:9000").ok).toBe(true);
  for (const wrong of [
    "login.example",
    "http://login.example",
    "http://10.0.0.1",
    "http://127.0.0.1.nip.io",
    "file:///etc/passwd",
    "https://u:p@login.example",
    "https://login.example?a=b",
    "https://login.example#a",
  ]) {
    expect([wrong, parseOidcIssuer(wrong).ok]).toEqual([wrong, false]);
  }
});

test("[CO10] a provider comes with what it calls this server, and its secret is never shown", () => {
  const issuer = { TIDEMARK_OIDC_ISSUER: "https://login.example" };
  const both = { ...issuer, TIDEMARK_OIDC_CLIENT_ID: "tidemark" };
  const secret = { TIDEMARK_OIDC_CLIENT_SECRET_FILE: "/run/secrets/oidc" };
  expect(readConfig(sources({ ...both, ...secret }))).toMatchObject({
    ok: true,
    value: { oidcIssuer: "https://login.example", oidcClientSecret: "a-secret" },
  });
  expect(readConfig(sources(both))).toMatchObject({ ok: true, value: { oidcClientSecret: "" } });
  expect(readConfig(sources(issuer))).toMatchObject({
    error: { mistakes: [{ key: "oidcClientId" }] },
  });
  for (const alone of [secret, { TIDEMARK_OIDC_CLIENT_ID: "tidemark" }]) {
    expect(readConfig(sources(alone))).toMatchObject({
      error: { mistakes: [{ key: "oidcIssuer" }] },
    });
  }
  expect(JSON.stringify(settingsInForce(sources({ ...both, ...secret })))).not.toContain(
    "a-secret",
  );
});
