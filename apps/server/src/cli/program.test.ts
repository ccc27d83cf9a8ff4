import { expect, test } from "vitest";
import { createTestClock, createTestRandom } from "../auth/testing/auth-deps.ts";
import type { GuardedFile } from "../platform/guarded-file.ts";
import type { Terminal } from "../platform/terminal.ts";
import { settings } from "../config/settings.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";
import { version } from "../version.ts";
import { listenError } from "./listen-error.ts";
import { printError } from "./print-error.ts";
import { runProgram } from "./program.ts";
import { advice } from "./setup-link.ts";

/** Files of settings, by path. */
const files = new Map<string, GuardedFile>();

interface Ran {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

function createTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    args,
    env,
    print: (text) => void out.push(text),
    printError: (text) => void err.push(text),
    readSecret: () => ({ ok: false, error: "unreadable" }),
    readSettings: (path) => files.get(path),
    exit: () => {},
  };
  return { terminal, out, err };
}

async function run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran> {
  const { terminal, out, err } = createTerminal(args, env);
  const code = await runProgram({
    terminal,
    clock: createTestClock(),
    random: createTestRandom("program"),
    timers: { sleep: async () => await Promise.resolve(), every: () => () => {} },
    signals: { on: () => () => {} },
  });
  return { code, out: out.join(""), err: err.join("") };
}

test("[OPS20] help and version are answers, not errors", async () => {
  expect(await run(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  const help = await run(["--help"]);
  expect(help).toMatchObject({ code: 0, err: "" });
  for (const word of ["serve", "migrate", "setup-link", "keys", "DATABASE_URL", "--public-url"]) {
    expect(help.out).toContain(word);
  }
});

test("[OPS20] wrong usage says what is wrong and where help is, and exits with 2", async () => {
  const hint = "hint: tidemark-server --help shows the commands and settings\n";
  expect(await run(["frob"])).toEqual({
    code: 2,
    out: "",
    err: `error: there is no command 'frob'\n${hint}`,
  });
  expect(await run(["setup-link", "--frob"])).toMatchObject({
    code: 2,
    err: `error: unknown option '--frob'\n${hint}`,
  });
  expect((await run(["keys"])).err).toContain("error: name a command\n");
});

test("[OPS20] with --json an error is one document on standard error", async () => {
  const ran = await run(["setup-link", "--json", "--port", "x"], { HOME: "/home/ada" });
  expect(ran).toMatchObject({ code: 2, out: "" });
  expect(JSON.parse(ran.err)).toEqual({
    error: {
      code: "wrong-settings",
      message: expect.stringContaining("--port"),
      hint: expect.any(String),
    },
  });
});

test("[OPS23] every wrong setting is reported at once", async () => {
  const env = { HOME: "/home/ada", TIDEMARK_PORT: "x", TIDEMARK_LOG_LEVEL: "loud" };
  const { code, err } = await run(["serve", "--public-url", "http://example.com"], env);
  expect(code).toBe(2);
  expect(err.split("\n").filter((line) => line.startsWith("error: "))).toHaveLength(3);
});

test("[OPS20] what the database refuses is told without its address or password", () => {
  const refused = Object.assign(new Error("password authentication failed for u:secret"), {
    code: "28P01",
  });
  for (const cause of [refused, new StoreUnavailable(refused)]) {
    const { terminal, err } = createTerminal([]);
    expect(printError(terminal, cause, false)).toBe(1);
    expect(err.join("")).toMatch(/^error: the database .*\nhint: check .*\n$/);
    expect(err.join("")).not.toContain("secret");
  }
});

test.each([
  ["ENOTFOUND", "the database's host name is not known"],
  ["CONNECT_TIMEOUT", "the database does not answer in time"],
  ["53300", "the database takes no more connections"],
  ["28000", "the database does not let this user in from here (28000)"],
  ["3D000", "the database that DATABASE_URL names does not exist (3D000)"],
  ["42501", "the database does not let this user make or use its tables (42501)"],
])("[OPS20] the database's %s is told in words", (code, message) => {
  const { terminal, err } = createTerminal([]);
  printError(terminal, Object.assign(new Error("u:secret"), { code }), false);
  expect(err.join("")).toMatch(/^error: .*\nhint: check .*\n$/);
  expect(err.join("")).toContain(`error: ${message}\n`);
});

test("[OPS20] a login that may make no tables is told the statement that lets it", () => {
  const { terminal, err } = createTerminal([]);
  printError(terminal, Object.assign(new Error("permission denied"), { code: "42501" }), false);
  expect(err.join("")).toContain("owns the database or has CREATE on it");
  expect(err.join("")).toContain('"create database tidemark owner tidemark"');
});

test("[OPS20] a socket that is not there is the database's trouble, a folder the data directory's", () => {
  for (const [syscall, code] of [
    ["connect", "database-unavailable"],
    ["mkdir", "data-dir-unusable"],
  ]) {
    const { terminal, err } = createTerminal([]);
    const cause = Object.assign(new Error("gone"), { code: "ENOENT", path: "/x/y", syscall });
    printError(terminal, cause, true);
    expect(JSON.parse(err.join(""))).toMatchObject({ error: { code } });
  }
});

test.each(["ENOSPC", "EDQUOT"])(
  "[OPS96] a data directory that has no room is told with what to do: %s",
  (code) => {
    const { terminal, err } = createTerminal([]);
    const cause = Object.assign(new Error(code), { code, path: "/data/x", syscall: "write" });
    expect(printError(terminal, cause, false)).toBe(1);
    expect(err.join("")).toMatch(
      /^error: cannot use \/data\/x: the disk .+\nhint: make room there/u,
    );
  },
);

test.each([
  ["EADDRINUSE", "port 80 of ::1 is in use"],
  ["EACCES", "this user may not listen on port 80"],
  ["ENOTFOUND", "this machine has no address ::1"],
])("[OPS20] %s of a port is told in words", (code, message) => {
  const place = { host: "::1", port: 80 };
  expect(listenError(Object.assign(new Error("no"), { code }), place)?.message).toBe(message);
  expect(listenError(new Error("no"), place)).toBeUndefined();
});

test("[OPS24] the advice that goes with a link trusts plain http where that is needed", () => {
  expect(advice("http://127.0.0.1:1/#s=a")).toContain(
    "  tidemark pair 'http://127.0.0.1:1/#s=a'\n",
  );
  expect(advice("https://a.example/#s=a")).toContain("  tidemark pair 'https://a.example/#s=a'\n");
  expect(advice("http://10.0.0.1:1/#s=a")).toContain(
    "  tidemark pair 'http://10.0.0.1:1/#s=a' --allow-http\n",
  );
});

test("[OPS87] config prints what is in force and where it comes from, and no secret", async () => {
  const env = {
    HOME: "/home/ada",
    DATABASE_URL: "postgres://tidemark:hunter2@db:5432/tidemark",
    TIDEMARK_PORT: "9000",
    TIDEMARK_QUOTA_MIB: "10",
  };
  const { code, out, err } = await run(["config", "--json", "--port", "9001"], env);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).not.toContain("hunter2");
  const { settings: rows } = JSON.parse(out) as { settings: readonly { setting: string }[] };
  expect(rows.map(({ setting }) => setting)).toEqual(Object.keys(settings));
  expect(rows).toEqual(
    expect.arrayContaining([
      { setting: "databaseUrl", value: "[hidden]", source: "DATABASE_URL" },
      { setting: "port", value: "9001", source: "--port" },
      { setting: "quotaMib", value: "10", source: "TIDEMARK_QUOTA_MIB" },
      { setting: "dataDir", value: "/home/ada/.local/share/tidemark-server", source: "default" },
      { setting: "metrics", value: "off", source: "default" },
      { setting: "host", value: "127.0.0.1", source: "default" },
    ]),
  );
  const text = await run(["config"], env);
  expect(text.out).toMatch(/^port +9000 {2}\(TIDEMARK_PORT\)$/m);
  expect(text.out).not.toContain("hunter2");
});

test("[OPS91] config says which value came from the file, and what a flag outranks there", async () => {
  const text = JSON.stringify({ port: 8501, logLevel: "warn", databaseUrl: "postgres://u:walrus@db/t" }); // prettier-ignore
  files.set("/etc/tm.json", { text, isReadableByOthers: false, isWritableByOthers: false });
  const env = { HOME: "/h", TIDEMARK_CONFIG: "/etc/tm.json" };
  const { code, out } = await run(["config", "--port", "8502"], env);
  expect(code).toBe(0);
  expect(out).toMatch(/^port +8502 {2}\(--port\)$/m);
  expect(out).toMatch(/^logLevel +warn {2}\(\/etc\/tm\.json: logLevel\)$/m);
  expect(out).toMatch(/^databaseUrl +\[hidden\] {2}\(\/etc\/tm\.json: databaseUrl\)$/m);
  expect(out).not.toContain("walrus");
});

test("[OPS91] a file that is not there is told with its path, and nothing is started", async () => {
  const { code, err } = await run(["serve", "--config", "/none.json"], { HOME: "/h" });
  expect(code).toBe(2);
  expect(err).toContain("error: /none.json cannot be read: is it there");
});

test("[OPS87] config tells all that is wrong, as serve does", async () => {
  const env = { HOME: "/h", TIDEMARK_PORT: "x", TIDEMARK_METRICS: "y", TIDEMARK_LOG_REQUESTS: "z" };
  const { code, out, err } = await run(["config"], env);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  for (const name of ["TIDEMARK_PORT", "TIDEMARK_METRICS", "TIDEMARK_LOG_REQUESTS"]) {
    expect(err).toContain(`error: ${name} must be`);
  }
});
