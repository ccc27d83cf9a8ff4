import { fail, ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { planRetention } from "../domain/retention.ts";
import { type ConfigSources, flagName, publicUrlsOf, readConfig } from "./config.ts";
import { renderSettings } from "./help.ts";
import { type Setting, settings } from "./settings.ts";

function createSources(given: Partial<ConfigSources> = {}): ConfigSources {
  return { env: { HOME: "/home/ada" }, flags: {}, readSecret: () => fail("unreadable"), ...given };
}

function readOk(given: Partial<ConfigSources> = {}) {
  const config = readConfig(createSources(given));
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  return config.value;
}

const rows: readonly Setting<unknown>[] = Object.values(settings);

test("[OPS10] every variable and flag is one setting's alone, and help names them all", () => {
  const names = rows.flatMap((row) => [row.env, row.envFile ?? [], row.flag].flat());
  expect(new Set(names).size).toBe(names.length);
  const help = renderSettings();
  for (const row of rows) {
    for (const part of [row.env, row.envFile ?? row.env, `${row.flag} ${row.placeholder}`]) {
      expect(help).toContain(part);
    }
  }
  expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});

test("[OPS10] with nothing set, one person's server on this machine", () => {
  expect(readOk()).toEqual({
    dataDir: "/home/ada/.local/share/tidemark-server",
    databaseUrl: undefined,
    host: "127.0.0.1",
    port: 8420,
    publicUrls: [],
    logLevel: "info",
    logRequests: "refused",
    pokeMode: "listen",
    pairing: "pulled",
    revisionRetentionDays: 365,
    quotaRecords: 1_000_000,
    quotaMib: 5_120,
    quotaDeviceOps: 200_000,
    secretCheck: true,
    jobIssuers: [],
    oidcIssuer: "",
    oidcClientId: "",
    oidcClientSecret: "",
    oidcLabel: "single sign-on",
    trustedProxies: [],
    warnings: [],
  });
});

test("[MK3] with nothing set, overwritten values are kept for the year that is promised", () => {
  const { revisionRetentionDays: revisionDays } = readOk();
  const nowMs = 1e12;
  expect(planRetention({ nowMs, revisionDays })).toEqual(planRetention({ nowMs }));
});

test("[OPS10] every preset passes its own parser", () => {
  for (const row of rows) if (row.preset !== undefined) expect(row.parse(row.preset).ok).toBe(true);
});

test("[OPS10] the data directory follows XDG", () => {
  expect(readOk({ env: { XDG_DATA_HOME: "/xdg" } }).dataDir).toBe("/xdg/tidemark-server");
  expect(readOk({ env: { HOME: "/home/ada", XDG_DATA_HOME: "relative" } }).dataDir).toBe(
    "/home/ada/.local/share/tidemark-server",
  );
  const homeless = readConfig(createSources({ env: {} }));
  expect(homeless).toMatchObject({ ok: false, error: { mistakes: [{ key: "dataDir" }] } });
});

test("[OPS11] a flag outranks the environment, and an empty variable counts as unset", () => {
  const env = { HOME: "/h", TIDEMARK_PORT: "1", TIDEMARK_HOST: " ", TIDEMARK_POKES: "poll" };
  const config = readOk({ env, flags: { port: "2" } });
  expect(config).toMatchObject({ port: 2, host: "127.0.0.1", pokeMode: "poll" });
  expect(flagName("--revision-retention-days")).toBe("revisionRetentionDays");
});

test("[OPS11] all mistakes are reported at once, each with its source and its fix", () => {
  const config = readConfig(
    createSources({
      env: {
        HOME: "/h",
        TIDEMARK_PORT: "eighty",
        TIDEMARK_HOST: "http://here",
        TIDEMARK_LOG_LEVEL: "loud",
        TRUSTED_PROXIES: "10.0.0.0/8,everyone",
        TIDEMARK_REVISION_RETENTION_DAYS: "0",
        DATABASE_URL: "mysql://root:hunter2@db/x",
      },
      flags: { publicUrl: ["https://ok.example", "https://ok.example/path"], pokes: "shout" },
    }),
  );
  if (config.ok) throw new Error("mistakes were expected");
  expect(config.error.mistakes.map(({ source }) => source)).toEqual([
    "DATABASE_URL",
    "TIDEMARK_HOST",
    "TIDEMARK_PORT",
    "--public-url",
    "TIDEMARK_LOG_LEVEL",
    "--pokes",
    "TIDEMARK_REVISION_RETENTION_DAYS",
    "TRUSTED_PROXIES",
  ]);
  for (const { fix } of config.error.mistakes) expect(fix).toMatch(/^must /);
  expect(JSON.stringify(config.error)).not.toContain("hunter2");
});

test("[OPS13] the database's address may come from a secret's file, but not from two places", () => {
  const url = "postgres://tidemark:pw@db:5432/tidemark";
  const readSecret = (path: string) =>
    path === "/run/secrets/db" ? ok(`${url}\n`) : fail("unreadable" as const);
  const env = { HOME: "/h", DATABASE_URL_FILE: "/run/secrets/db" };
  expect(readOk({ env, readSecret }).databaseUrl).toBe(url);
  const both = readConfig(createSources({ env: { ...env, DATABASE_URL: url }, readSecret }));
  expect(both).toMatchObject({ ok: false, error: { mistakes: [{ source: "DATABASE_URL" }] } });
  const open = readConfig(createSources({ env, readSecret: () => fail("readable-by-others") }));
  const fix = "must name a file that others cannot read: chmod 600 /run/secrets/db";
  expect(open).toEqual({
    ok: false,
    error: { mistakes: [{ key: "databaseUrl", source: "DATABASE_URL_FILE", fix }] },
  });
  const missing = readConfig(createSources({ env }));
  expect(missing).toMatchObject({
    ok: false,
    error: { mistakes: [{ source: "DATABASE_URL_FILE" }] },
  });
});

test.each([
  ["https://tidemark.example", "https://tidemark.example", 0],
  ["https://Tidemark.example:443/", "https://tidemark.example", 0],
  ["http://localhost:8420", "http://localhost:8420", 0],
  ["http://127.0.0.1:8420", "http://127.0.0.1:8420", 0],
  ["http://[::1]:8420", "http://[::1]:8420", 0],
  ["http://192.168.1.5:8420", "http://192.168.1.5:8420", 1],
  ["http://100.101.102.103", "http://100.101.102.103", 1],
  ["http://[fd00::1]:8420", "http://[fd00::1]:8420", 1],
  ["http://nas.local:8420", "http://nas.local:8420", 1],
  ["http://nas:8420", "http://nas:8420", 1],
])("[OPS12] %s is a public URL (warnings: %#)", (given, origin, warnings) => {
  const config = readOk({ flags: { publicUrl: [given] } });
  expect(config.publicUrls).toEqual([origin]);
  expect(config.warnings).toHaveLength(warnings);
});

test.each([
  "http://tidemark.example",
  "http://8.8.8.8",
  "http://localhost.evil.example",
  "https://tidemark.example/path",
  "https://tidemark.example/?q",
  "https://tidemark.example/#x",
  "https://user:pw@tidemark.example",
  "ftp://nas.local",
  "tidemark.example",
])("[OPS12] %s is refused as a public URL (abuse 188)", (given) => {
  expect(readConfig(createSources({ env: { HOME: "/h", TIDEMARK_PUBLIC_URL: given } })).ok).toBe(
    false,
  );
});

test("[OPS12] without a public URL it is the address the server listens on", () => {
  expect(publicUrlsOf(readOk(), 8420)).toEqual(["http://127.0.0.1:8420"]);
  expect(publicUrlsOf(readOk({ flags: { host: "::1", port: "0" } }), 5001)).toEqual([
    "http://[::1]:5001",
  ]);
  const everywhere = readOk({ flags: { host: "0.0.0.0" } });
  expect(publicUrlsOf(everywhere, 8420)).toEqual(["http://127.0.0.1:8420"]);
  expect(everywhere.warnings).toHaveLength(1);
  const named = readOk({
    flags: { host: "0.0.0.0", publicUrl: "https://a.example,https://b.example" },
  });
  expect(publicUrlsOf(named, 8420)).toEqual(["https://a.example", "https://b.example"]);
  expect(named.warnings).toEqual([]);
});

test.each([
  ["postgres://u:p@h:5432/db", true],
  ["postgresql://u:a%23b@h/db?sslmode=require", true],
  ["postgres://tidemark@localhost:5432/db?host=%2Frun%2Fpostgresql", true],
  ["postgres://u:a#b@h/db", false],
  ["postgres://u:a%zz@h/db", false],
  ["postgres://u:p@h:99999/db", false],
  ["postgres:///db", false],
])("[OPS11] DATABASE_URL %s is taken: %s", (url, isTaken) => {
  const config = readConfig(createSources({ env: { HOME: "/h", DATABASE_URL: url } }));
  expect(config.ok).toBe(isTaken);
});

test("[OPS29] a list of proxies that has everybody in it is warned of", () => {
  for (const list of ["0.0.0.0/0", "10.0.0.1, ::/0"]) {
    const { warnings } = readOk({ env: { HOME: "/h", TRUSTED_PROXIES: list } });
    expect(warnings.join("\n")).toContain("TRUSTED_PROXIES names every address");
  }
  expect(readOk({ env: { HOME: "/h", TRUSTED_PROXIES: "10.0.0.0/8, ::1" } }).warnings).toEqual([]);
});
