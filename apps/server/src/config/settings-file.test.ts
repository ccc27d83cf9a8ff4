import { fail } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { readConfig, type ConfigSources } from "./config.ts";
import {
  readFileSettings,
  unreadable,
  type FileSettings,
  type FoundFile,
} from "./settings-file.ts";
import { settings, type Setting } from "./settings.ts";

const path = "/etc/tidemark/server.json";

function fileOf(value: unknown, openness: Partial<FoundFile> = {}): FileSettings {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return readFileSettings(path, {
    text,
    isReadableByOthers: false,
    isWritableByOthers: false,
    ...openness,
  });
}

function read(file: FileSettings, given: Partial<ConfigSources> = {}) {
  const env = { HOME: "/h" };
  return readConfig({ env, flags: {}, readSecret: () => fail("unreadable"), file, ...given });
}

function mistakesOf(file: FileSettings): readonly string[] {
  const config = read(file);
  if (config.ok) return [];
  return config.error.mistakes.map(({ source, fix }) => `${source} ${fix}`);
}

test("[OPS91] a file sets every setting, as text, number, switch or list", () => {
  const file = fileOf({
    port: 8500,
    secretCheck: false,
    publicUrls: ["https://a.example", "https://b.example"],
    trustedProxies: "10.0.0.0/8",
    logLevel: "warn",
  });
  expect(read(file)).toMatchObject({
    ok: true,
    value: {
      port: 8500,
      secretCheck: false,
      publicUrls: ["https://a.example", "https://b.example"],
      trustedProxies: ["10.0.0.0/8"],
      logLevel: "warn",
    },
  });
  const rows = Object.entries(settings) as readonly [string, Setting<unknown>][];
  const all = Object.fromEntries(rows.flatMap(([key, { preset }]) => (preset === undefined || preset === "" ? [] : [[key, preset]]))); // prettier-ignore
  expect(Object.keys(all).length).toBeGreaterThan(8);
  expect(read(fileOf(all)).ok).toBe(true);
});

test("[OPS91] a flag outranks the environment, and that the file", () => {
  const file = fileOf({ port: 1, host: "10.0.0.1", logLevel: "warn" });
  const env = { HOME: "/h", TIDEMARK_PORT: "2", TIDEMARK_HOST: "10.0.0.2" };
  expect(read(file, { env, flags: { port: "3" } })).toMatchObject({
    ok: true,
    value: { port: 3, host: "10.0.0.2", logLevel: "warn" },
  });
});

test("[OPS91] all that is wrong with it is told at once, with its name, and no value of a secret", () => {
  const told = mistakesOf(
    fileOf({
      port: "eighty",
      host: null,
      databaseUrl: "postgres:walrus",
      TIDEMARK_LOG_LEVEL: "warn",
      "--metrics": "x",
      colour: "blue",
      quotaMib: { of: 1 },
    }),
  );
  expect(told.map((each) => each.slice(path.length + 2).split(" ")[0])).toEqual([
    "host",
    "TIDEMARK_LOG_LEVEL",
    "--metrics",
    "colour",
    "quotaMib",
    "databaseUrl",
    "port",
  ]);
  expect(told).toContain(`${path}: TIDEMARK_LOG_LEVEL is called logLevel in a file`);
  expect(told).toContain(`${path}: colour is no setting; tidemark-server config lists all`);
  expect(told.join("\n")).not.toContain("walrus");
});

test.each([
  ["{", "must hold a JSON object"],
  ["[]", "must hold a JSON object"],
  ['{"databaseUrl": "postgres://u:walrus@db/t",}', "must hold a JSON object"],
])("[OPS91] what is no object of JSON is refused whole, and not quoted: %s", (text, fix) => {
  const told = mistakesOf(fileOf(text));
  expect(told).toEqual([expect.stringContaining(`${path} ${fix}`)]);
  expect(told.join()).not.toContain("walrus");
});

test("[OPS91] who else can change it decides nothing, and who else can read it sees no secret", () => {
  const secret = { databaseUrl: "postgres://u:walrus@db/t" };
  expect(mistakesOf(fileOf({ port: 1 }, { isWritableByOthers: true }))).toEqual([
    `${path} may be changed by others: chmod go-w`,
  ]);
  expect(mistakesOf(fileOf({ port: 1 }, { isReadableByOthers: true }))).toEqual([]);
  expect(mistakesOf(fileOf(secret, { isReadableByOthers: true }))).toEqual([
    `${path}: databaseUrl is a secret, and others can read the file: chmod 600`,
  ]);
  expect(mistakesOf(fileOf(secret))).toEqual([]);
  expect(mistakesOf(unreadable(path))).toEqual([expect.stringContaining("cannot be read")]);
});
