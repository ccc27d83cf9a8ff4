/** Where the device's key is kept: the built program, the real native module, real buses. */
import { spawn } from "node:child_process";
import { cpSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";
import {
  secretServiceMissing,
  startOddBus,
  startSecretService,
  type SessionBus,
} from "./secret-service.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
const a = devices.device("laptop-a");
const missing = secretServiceMissing();
const buses: SessionBus[] = [];

beforeAll(async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await a.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "laptop-a", "--user", "ada");
});

afterEach(async () => {
  for (const bus of buses.splice(0)) await bus.close();
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

async function opened(bus: Promise<SessionBus>): Promise<SessionBus> {
  const started = await bus;
  buses.push(started);
  return started;
}

async function link(): Promise<string> {
  return (await a.json<{ link: string }>("device", "add")).link;
}

function keyFile({ home }: TestDevice): Readonly<Record<string, unknown>> {
  const path = join(home, "device.key");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  return JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, unknown>>;
}

/** Everything in the files of a folder, as one text. */
function bytesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

async function keyCheck(device: TestDevice): Promise<string> {
  const { stdout } = await device.run(["doctor"]);
  return /^(?:PASS|WARN|FAIL) {2}device key: .*$/mu.exec(stdout)?.[0] ?? "";
}

test("[OPS48] without a session the key is a file, and status and doctor say so and why (abuse 177)", async () => {
  const b = devices.device("headless", { TIDEMARK_KEYCHAIN: "on" });
  const paired = await b.run(["pair", await link()]);
  expect([paired.code, paired.stderr]).toEqual([0, ""]);
  const said = "in a file, open to you alone (no desktop session runs here";
  expect(paired.stdout).toContain(`device key: ${said}`);
  expect((await b.run(["status"])).stdout).toContain(`device key: ${said}`);
  expect(await b.json("status")).toMatchObject({
    deviceKey: { place: "file", reason: "no-session" },
  });
  expect(await keyCheck(b)).toMatch(/^PASS .* kept in the file .*no desktop session/u);
  expect(keyFile(b)).toMatchObject({ kty: "OKP", d: expect.any(String) });
  expect(await b.json("device", "key")).toMatchObject({ place: "file", path: expect.any(String) });
  expect(await b.error("device", "key", "--to", "keychain")).toMatchObject({ exit: 1 });
  expect(await b.error("device", "key", "--to", "cloud")).toMatchObject({ exit: 2, code: "usage" });
  await b.json("sync");
});

test("[OPS46] a paired device whose key is gone is told one way out, and it leads there", async () => {
  const c = devices.device("keyless");
  await c.json("pair", await link());
  await c.json("save", "--title", "kept");
  rmSync(join(c.home, "device.key"));
  const told = await c.error("device", "key");
  expect(told).toMatchObject({ exit: 1, code: "no-key", hint: "tidemark doctor" });
  expect(await keyCheck(c)).toMatch(/^FAIL .* is missing$/u);
  const way = "move device.json away and pair this device again";
  expect((await c.run(["doctor"])).stdout).toContain(way);
  expect((await c.error("sync")).hint).toContain(way);
  renameSync(join(c.home, "device.json"), join(c.home, "device.json.old"));
  expect((await c.error("device", "key")).hint).toBe("tidemark pair <link> makes it");
  await c.json("pair", await link());
  await c.json("sync");
  expect(await c.json("list")).toMatchObject({ items: [{ title: "kept" }] });
});

test.each([
  ["never answers", undefined, "no-answer"],
  ["answers with garbage", "\u0000\u0001OK garbage\r\n", "refused"],
] as const)(
  "[OPS48] a keychain that %s: the key is a file, and pairing says it once (abuse 177)",
  async (name, answer, reason) => {
    const bus = await opened(startOddBus(answer));
    const b = devices.device(`odd ${name}`, bus.env);
    const paired = await b.run(["pair", await link()]);
    expect(paired.code).toBe(0);
    expect(paired.stderr).toMatch(
      /^warning: the keychain .* kept in a file, .*--to keychain.*\n$/u,
    );
    expect(await b.json("status")).toMatchObject({ deviceKey: { place: "file", reason } });
    expect(await keyCheck(b)).toMatch(/^PASS .* kept in the file /u);
    const synced = await b.run(["sync"]);
    expect([synced.code, synced.stderr]).toEqual([0, ""]);
    const before = keyFile(b);
    expect(await b.error("device", "key", "--to", "keychain")).toMatchObject({ exit: 1 });
    expect(keyFile(b)).toEqual(before);
  },
);

test("[OPS48] with a Secret Service the key is nowhere on the disk (abuse 177, 179)", async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const bus = await opened(startSecretService());
  const b = devices.device("desktop", bus.env);
  const paired = await b.run(["pair", await link()]);
  expect([paired.code, paired.stderr]).toEqual([0, ""]);
  expect(paired.stdout).toContain("device key: in the keychain of this system\n");
  expect(keyFile(b)).toEqual({ place: "keychain", thumbprint: expect.any(String) });
  expect(await b.json("status")).toMatchObject({ deviceKey: { place: "keychain", reason: null } });
  expect(await keyCheck(b)).toBe("PASS  device key: kept in the keychain of this system");
  await b.json("save", "--title", "by a key in the keychain");
  await b.json("sync");

  const moved = await b.run(["device", "key", "--to", "file"]);
  expect([moved.code, moved.stdout]).toEqual([0, expect.stringMatching(/^moved\ndevice key: in/u)]);
  const { d } = keyFile(b) as { d: string };
  await b.json("sync");
  expect(await b.json("device", "key", "--to", "keychain")).toMatchObject({ place: "keychain" });
  await b.json("sync");
  const disk = bytesBelow(b.home) + bytesBelow(bus.userHome);
  expect(d).toHaveLength(43);
  expect(disk).toContain("by a key in the keychain");
  expect(disk.includes(d)).toBe(false);
});

test("[OPS48] a keychain that is locked later is told, and costs nothing (abuse 177)", async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const bus = await opened(startSecretService());
  const b = devices.device("locked later", bus.env);
  await b.json("pair", await link());
  const locked = await opened(startSecretService({ isLocked: true, userHome: bus.userHome }));
  const again = devices.device("locked later", locked.env);
  const before = keyFile(again);
  const error = await again.error("sync");
  expect(error).toMatchObject({ exit: 1, code: "keychain" });
  expect(error.hint).toContain("unlock it");
  expect(await keyCheck(again)).toMatch(/^FAIL .*key is in the keychain, but/u);
  const daemon = spawn(process.execPath, [clientProgram, "daemon"], {
    env: { PATH: process.env["PATH"] ?? "", TIDEMARK_HOME: again.home, ...locked.env },
    stdio: "ignore",
  });
  try {
    const failure = async () =>
      (await again.json<{ lastFailure: { code: string } | null }>("status")).lastFailure?.code;
    await expect.poll(failure, { timeout: 20_000, interval: 250 }).toBe("keychain");
    expect(daemon.exitCode).toBeNull();
  } finally {
    daemon.kill("SIGTERM");
  }
  expect((await again.run(["save", "--title", "saved all the same"])).code).toBe(0);
  expect(keyFile(again)).toEqual(before);
  await b.json("sync");
  expect((await a.run(["sync"])).code).toBe(0);
});

test("[OPS48] a hook's program knows neither the key nor a keychain (abuse 177)", () => {
  const hook = readFileSync(join(clientProgram, "..", "hook.cjs"), "latin1");
  expect(hook.length).toBeGreaterThan(100_000);
  const ofTheKey = ["coredump_filter", "@napi-rs", "keychain.mjs", "createPrivateKey"];
  expect(ofTheKey.filter((text) => hook.includes(text))).toEqual([]);
});

test("[OPS48] a new key does not go into a locked keychain (abuse 177)", async ({ skip }) => {
  skip(missing !== undefined, missing);
  const bus = await opened(startSecretService({ isLocked: true }));
  const b = devices.device("locked", bus.env);
  const paired = await b.run(["pair", await link()]);
  expect([paired.code, paired.stderr]).toEqual([
    0,
    expect.stringMatching(/^warning: the keychain/u),
  ]);
  expect(await b.json("status")).toMatchObject({ deviceKey: { place: "file" } });
});

test("[OPS48] a home copied to where its keychain is not says so, and comes back with --new-key (abuse 178)", async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const here = devices.device("copied from", (await opened(startSecretService())).env);
  await here.json("pair", await link());
  await here.json("save", "--title", "carried over");
  const there = devices.device("copied to", (await opened(startSecretService())).env);
  cpSync(here.home, there.home, { recursive: true });
  const error = await there.error("sync");
  expect(error).toMatchObject({ exit: 1, code: "keychain" });
  expect(error.hint).toContain("tidemark pair <link> --new-key");
  const fresh = await link();
  expect(await there.error("pair", fresh)).toMatchObject({ code: "keychain" });
  await there.json("pair", fresh, "--new-key", "--name", "copied to");
  const { items } = await there.json<{ items: readonly { title: string }[] }>("list", "--all");
  expect(items.map(({ title }) => title)).toContain("carried over");
  await here.json("sync");
  expect(await here.error("pair", await link(), "--new-key")).toMatchObject({
    code: "already-paired",
  });
});

test("[OPS48] kill -9 at any moment of a move leaves a key that works (abuse 176)", async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const bus = await opened(startSecretService());
  const b = devices.device("killed", bus.env);
  await b.json("pair", await link());
  for (let round = 0; round < 12; round += 1) {
    const to = round % 2 === 0 ? "file" : "keychain";
    const { PATH = "" } = process.env;
    const child = spawn(process.execPath, [clientProgram, "device", "key", "--to", to], {
      env: { PATH, HOME: "/nonexistent", TIDEMARK_HOME: b.home, ...bus.env },
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    // From before its first step to after its last: a move takes a fifth of a second.
    const timer = setTimeout(() => child.kill("SIGKILL"), 60 + round * 24);
    await ended;
    clearTimeout(timer);
    expect(await keyCheck(b)).toMatch(/^PASS/u);
  }
  for (const place of ["file", "keychain"]) {
    expect(await b.json("device", "key", "--to", place)).toMatchObject({ place });
    await b.json("sync");
  }
});
