import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemKeychain, type KeychainOptions } from "./keychain.ts";
import { restingKeychain } from "./resting.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-keychain-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A child that notes that it ran, what it was given and what it sees, and then does as told. */
function childThat(then: string): string {
  const program = join(folder, "child.cjs");
  const note = JSON.stringify(join(folder, "ran.json"));
  writeFileSync(
    program,
    `const fs = require("node:fs");
     const given = fs.readFileSync(0, "utf8");
     const { argv, env, execArgv } = process;
     fs.writeFileSync(${note}, JSON.stringify({ given: JSON.parse(given), argv, env, execArgv }));
     ${then}`,
  );
  return program;
}

interface Ran {
  readonly given: unknown;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function ran(): Ran | undefined {
  const note = join(folder, "ran.json");
  return existsSync(note) ? (JSON.parse(readFileSync(note, "utf8")) as Ran) : undefined;
}

function keychainWith(program: string, options: Partial<KeychainOptions> = {}) {
  return systemKeychain({
    env: { PATH: process.env["PATH"], DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" },
    isWanted: true,
    platform: "linux",
    uid: undefined,
    program,
    waitMs: 2_000,
    readWaitMs: 2_000,
    ...options,
  });
}

const says = (answer: string): string => `fs.writeSync(1, ${JSON.stringify(answer)});`;

test("[OPS48] what is kept is what comes back (abuse 177)", async () => {
  const echo = says('{"kind":"found","secret":"s3cret"}\n');
  expect(await keychainWith(childThat(echo)).keep("account", "s3cret")).toEqual({ ok: true });
  expect(await keychainWith(childThat(echo)).read("account")).toEqual({
    ok: true,
    value: "s3cret",
  });
  const other = keychainWith(childThat(says('{"kind":"found","secret":"other"}\n')));
  expect(await other.keep("account", "s3cret")).toEqual({ ok: false, error: "garbled" });
  const none = keychainWith(childThat(says('{"kind":"none"}\n')));
  expect(await none.keep("account", "s3cret")).toEqual({ ok: false, error: "garbled" });
  expect(await none.read("account")).toEqual({ ok: true, value: undefined });
  expect(await none.remove("account")).toEqual({ ok: true });
});

test.each([
  ["garbled", says("\u0000\u0001 not json\n")],
  ["garbled", says("null\n")],
  ["garbled", says('{"kind":"found","secret":7}\n')],
  ["garbled", 'fs.writeSync(1, "x".repeat(100_000));'],
  ["garbled", "process.exit(0);"],
  ["garbled", 'process.kill(process.pid, "SIGKILL");'],
  ["refused", says('{"kind":"refused"}\n')],
  ["not-installed", says('{"kind":"not-installed"}\n')],
] as const)("[OPS48] a keychain is %s that does: %s (abuse 177)", async (why, then) => {
  const keychain = keychainWith(childThat(then));
  expect(await keychain.keep("account", "s3cret")).toEqual({ ok: false, error: why });
  expect(await keychain.read("account")).toEqual({ ok: false, error: why });
  expect(await keychain.remove("account")).toEqual({ ok: false, error: why });
});

test("[OPS48] a keychain that hangs for a minute is given up, and its process ended (abuse 177)", async () => {
  const hanging = 'fs.writeFileSync(process.argv[1] + ".pid", String(process.pid));';
  const program = childThat(`${hanging} setTimeout(() => undefined, 60_000);`);
  const keychain = keychainWith(program);
  expect(await keychain.keep("account", "s3cret")).toEqual({ ok: false, error: "no-answer" });
  const pid = Number(readFileSync(`${program}.pid`, "utf8"));
  const isAlive = (): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isAlive, { timeout: 5_000 }).toBe(false);
});

test("[OPS49] the child is given the secret by a pipe, and nothing that could look on (abuse 179)", async () => {
  const program = childThat(says('{"kind":"found","secret":"s3cret"}\n'));
  const env = {
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere",
    NODE_OPTIONS: "--require=/nonexistent.cjs",
    NODE_EXTRA_CA_CERTS: "/nonexistent.pem",
  };
  await keychainWith(program, { env }).keep("account", "s3cret");
  const seen = ran();
  expect(seen?.given).toEqual({ op: "keep", account: "account", secret: "s3cret", waitMs: 2_000 });
  expect(JSON.stringify([seen?.argv, seen?.env])).not.toContain("s3cret");
  expect(Object.keys(seen?.env ?? {})).toEqual(["DBUS_SESSION_BUS_ADDRESS"]);
});

test("[OPS48] where no session, system or package has a keychain, nothing is started (abuse 177)", async () => {
  const program = childThat(says('{"kind":"none"}\n'));
  const without = [
    [keychainWith(program, { env: {} }), "no-session"],
    [keychainWith(program, { env: { XDG_RUNTIME_DIR: folder } }), "no-session"],
    [keychainWith(program, { platform: "aix" }), "no-keychain"],
    [keychainWith(join(folder, "none.mjs")), "not-installed"],
    [
      keychainWith(join(folder, "none.mjs"), { isWanted: true, platform: "win32" }),
      "not-installed",
    ],
  ] as const;
  for (const [keychain, why] of without) {
    expect(keychain.unfit).toBe(why);
    expect(await keychain.keep("account", "s3cret")).toEqual({ ok: false, error: why });
    expect(await keychain.read("account")).toEqual({ ok: false, error: why });
  }
  expect(ran()).toBeUndefined();
});

test("[OPS48] where no keychain is wanted new keys go into files, and old ones are read", async () => {
  const keychain = keychainWith(childThat(says('{"kind":"none"}\n')), { isWanted: false });
  expect(keychain.unfit).toBe("asked");
  expect(await keychain.read("account")).toEqual({ ok: true, value: undefined });
});

test("[OPS48] over SSH no new key goes there, and one that is there can be read (abuse 177)", async () => {
  for (const platform of ["linux", "darwin"]) {
    const env = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere", SSH_CONNECTION: "a 1 b 2" };
    const keychain = keychainWith(childThat(says('{"kind":"none"}\n')), { env, platform });
    expect(keychain.unfit).toBe("over-ssh");
    expect(await keychain.read("account")).toEqual({ ok: true, value: undefined });
  }
});

test("[OPS48] the bus of a session is found where a shell does not name it", async () => {
  const runtime = join(folder, "runtime");
  mkdirSync(runtime);
  writeFileSync(join(runtime, "bus"), "");
  const keychain = keychainWith(childThat(says('{"kind":"none"}\n')), {
    env: { XDG_RUNTIME_DIR: runtime },
  });
  expect(keychain.unfit).toBeUndefined();
  await keychain.read("account");
  expect(ran()?.env["DBUS_SESSION_BUS_ADDRESS"]).toBe(`unix:path=${join(runtime, "bus")}`);
});

test("[OPS48] what runs in the background leaves a locked keychain alone for five minutes", async () => {
  let asked = 0;
  let answer: "refused" | "open" = "refused";
  const keychain = {
    ...keychainWith(join(folder, "none.mjs")),
    read: () => {
      asked += 1;
      return Promise.resolve(
        answer === "open"
          ? ({ ok: true, value: "s3cret" } as const)
          : ({ ok: false, error: answer } as const),
      );
    },
  };
  let nowMs = Date.now();
  const path = join(folder, "keychain.rest");
  const clock = { nowMs: () => nowMs };
  const background = restingKeychain(keychain, { clock, path, isUrgent: false });
  const person = restingKeychain(keychain, { clock, path, isUrgent: true });
  const refused = { ok: false, error: "refused" };
  expect([await background.read("a"), await background.read("a"), asked]).toEqual([
    refused,
    refused,
    1,
  ]);
  expect([await person.read("a"), asked]).toEqual([refused, 2]);
  answer = "open";
  expect([await background.read("a"), asked]).toEqual([refused, 2]);
  nowMs += 5 * 60_000 + 1_000;
  expect([await background.read("a"), asked]).toEqual([{ ok: true, value: "s3cret" }, 3]);
  nowMs -= 5 * 60_000;
  answer = "refused";
  await background.read("a");
  answer = "open";
  await person.read("a");
  expect([await background.read("a"), existsSync(path)]).toEqual([
    { ok: true, value: "s3cret" },
    false,
  ]);
});
