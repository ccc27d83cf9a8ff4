import { expect, test } from "vitest";
import { readConfig, unknownMembers } from "./read-config.ts";
import { settings } from "./settings.ts";

test("[OPS50] a flag beats the environment, that the file, and that the default", () => {
  const file = { logLevel: "debug", namespace: "of the file", contextTokens: 900 };
  const env = { TIDEMARK_LOG_LEVEL: "warn", TIDEMARK_NAMESPACE: "of the environment" };
  const config = readConfig({ env, file, flags: { defaultNamespace: "of the flag" } });
  expect(config.ok && config.value.defaultNamespace).toBe("of the flag");
  const unflagged = readConfig({ env, file });
  expect(unflagged.ok && unflagged.value).toMatchObject({
    logLevel: "warn",
    defaultNamespace: "of the environment",
    contextTokens: 900,
    capture: true,
  });
});

test("[OPS50] an empty variable is no value", () => {
  const config = readConfig({ env: { TIDEMARK_CAPTURE: "" } });
  expect(config.ok && config.value.capture).toBe(true);
});

test("[OPS51] every mistake is told at once, and the rest still has its values", () => {
  const env = { TIDEMARK_CAPTURE: "perhaps", TIDEMARK_CONTEXT_TOKENS: "100" };
  const config = readConfig({ env, file: { namespace: {}, logLevel: "loud" } });
  expect(config.ok).toBe(false);
  if (config.ok) return;
  expect(config.error.problems).toEqual([
    "config.json: namespace: expected a namespace's name or id",
    "TIDEMARK_CAPTURE: expected on or off",
    "config.json: logLevel: expected debug, info, warn, error, silent",
  ]);
  expect(config.error.fallback).toMatchObject({ logLevel: settings.logLevel.fallback });
  expect(config.error.fallback).toMatchObject({ capture: false, contextTokens: 100 });
});

test("[OPS51] a file that is no object is one mistake", () => {
  const config = readConfig({ env: {}, file: [1] });
  expect(config.ok ? [] : config.error.problems).toEqual(["config.json: expected an object"]);
});

test("[OPS50] each setting has a variable of its own, and its default is among its values", () => {
  const rows = Object.values(settings);
  expect(new Set(rows.map((row) => row.env)).size).toBe(rows.length);
  for (const row of rows) {
    expect(row.env).toMatch(/^TIDEMARK_[A-Z_]+$/u);
    if (row.fallback === undefined) continue;
    const text = JSON.stringify(row.fallback).replaceAll('"', "");
    expect(row.parse(text)).toBe(row.fallback);
  }
});

test("[OPS51] what config.json says that counts for nothing is named, and the scrub settings count", () => {
  const file = { captures: "off", capture: "off", scrub: {}, "server-url": "" };
  expect(unknownMembers(file)).toEqual(["captures", "server-url"]);
  expect(unknownMembers(undefined)).toEqual([]);
});
