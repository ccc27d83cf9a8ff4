/** Where a key or a token could be left behind by the programs of a device. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { clientProgram, createDevices } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
const a = devices.device("laptop-a");
let secrets: readonly (string | Buffer)[] = [];
let running: ChildProcess | undefined;

/** The start of any token or assertion: `{"alg":` as base64url. */
const tokenStart = "eyJhbGci";

beforeAll(async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  const [link = ""] = linksIn(server.stdout());
  await a.json("pair", link, "--name", "laptop-a", "--user", "ada");
  const { d } = JSON.parse(readFileSync(join(a.home, "device.key"), "utf8")) as { d: string };
  const secret = link.split("#")[1] ?? "";
  expect(Math.min(d.length, secret.length)).toBeGreaterThan(20);
  secrets = [d, Buffer.from(d, "base64url"), secret, tokenStart];
});

afterEach(() => {
  running?.kill("SIGKILL");
  running = undefined;
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

function secretsIn(bytes: Buffer): number {
  return secrets.filter((secret) => bytes.includes(secret)).length;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Starts the daemon as somebody does who looks for crashes, and waits until it has a token. */
async function startDaemon(folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const report = `--report-on-signal --report-on-fatalerror --report-directory=${folder}`;
  const child = spawn(
    "sh",
    ["-c", 'ulimit -c unlimited; exec "$@"', "sh", process.execPath, clientProgram, "daemon"],
    {
      cwd: folder,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: "/nonexistent",
        TIDEMARK_HOME: a.home,
        NODE_OPTIONS: report,
      },
      stdio: "ignore",
    },
  );
  running = child;
  await a.json("save", "--title", "sent by the daemon");
  await vi.waitUntil(
    async () => {
      const { namespaces } = await a.json<{ namespaces: readonly { synced: boolean }[] }>("status");
      return namespaces.every(({ synced }) => synced);
    },
    { timeout: 30_000, interval: 250 },
  );
  return child.pid ?? 0;
}

test("[OPS49] after a sync nothing on the disk but the key's file holds a secret (abuse 179)", async () => {
  await a.json("save", "--title", "on the disk");
  await a.json("sync");
  const files = filesBelow(a.home);
  expect(files.length).toBeGreaterThan(5);
  const holding = files.filter((path) => secretsIn(readFileSync(path)) > 0);
  expect(holding).toEqual([join(a.home, "device.key")]);
});

test.runIf(process.platform === "linux")(
  "[OPS49] a daemon shows no secret to who looks at it, asks it for a report or has it crash (abuse 179)",
  async ({ skip }) => {
    const folder = join(a.folder, "crash");
    const pid = await startDaemon(folder);
    for (const name of ["environ", "cmdline"])
      expect(secretsIn(readFileSync(`/proc/${pid}/${name}`))).toBe(0);
    expect(readFileSync(`/proc/${pid}/coredump_filter`, "utf8")).toBe("00000000\n");

    process.kill(pid, "SIGUSR2");
    const reports = () => readdirSync(folder).filter((name) => name.endsWith(".json"));
    await vi.waitUntil(() => reports().some((name) => isJson(join(folder, name))), {
      timeout: 20_000,
    });
    for (const name of reports()) expect(secretsIn(readFileSync(join(folder, name)))).toBe(0);

    process.kill(pid, "SIGABRT");
    await vi.waitUntil(() => !existsSync(`/proc/${pid}/environ`), { timeout: 20_000 });
    const cores = readdirSync(folder).filter((name) => name.startsWith("core"));
    skip(cores.length === 0, "this system writes no core file here");
    for (const name of cores) expect(secretsIn(readFileSync(join(folder, name)))).toBe(0);
    // What does not forbid it leaves its memory in such a file.
    const careless = "globalThis.kept = process.argv[1].repeat(9); process.abort()";
    const [key] = secrets;
    const script = 'ulimit -c unlimited; exec "$@"';
    const bare = join(folder, "bare");
    mkdirSync(bare);
    const args = ["-c", script, "sh", process.execPath, "-e", careless, String(key)];
    spawnSync("sh", args, { cwd: bare });
    expect(readdirSync(bare).map((name) => secretsIn(readFileSync(join(bare, name))))).toEqual([1]);
  },
);

function isJson(path: string): boolean {
  try {
    JSON.parse(readFileSync(path, "utf8"));
    return true;
  } catch {
    return false;
  }
}

test("[OPS49] what npm writes down of a run that fails holds no secret (abuse 179)", () => {
  const folder = join(a.folder, "npm");
  const cache = join(folder, "cache");
  mkdirSync(folder, { recursive: true });
  const fails = `"${process.execPath}" "${clientProgram}" sync --json && "${process.execPath}" "${clientProgram}" show nothing`;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { fails } }));
  const ended = spawnSync("npm", ["run", "fails", "--loglevel", "silly", "--cache", cache], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, TIDEMARK_HOME: a.home },
    shell: process.platform === "win32",
  });
  expect(ended.status).not.toBe(0);
  const logs = filesBelow(join(cache, "_logs"));
  expect(logs.map((path) => readFileSync(path, "utf8")).join("\n")).toContain("npm run fails");
  for (const bytes of [ended.stdout, ended.stderr, ...logs.map((path) => readFileSync(path))])
    expect(secretsIn(bytes)).toBe(0);
});

test("[OPS49] a link can come by standard input, where no list of processes shows it (abuse 179)", async () => {
  const b = devices.device("laptop-b");
  const { link } = await a.json<{ link: string }>("device", "add");
  const paired = await b.run(["pair", "-", "--name", "laptop-b", "--json"], `${link}\n`);
  expect([paired.code, paired.stderr]).toEqual([0, ""]);
  expect(JSON.parse(paired.stdout)).toMatchObject({ device: { name: "laptop-b" } });
  const none = await devices.device("laptop-c").run(["pair", "-"], "\n");
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("no pairing link")]);
});
