/** What a summariser does once the program that runs it was killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test, vi } from "vitest";
import { clientProgram, createDevices } from "./client-process.ts";

const devices = createDevices();
const session = fileURLToPath(new URL("../fixtures/sessions/review-page.jsonl", import.meta.url));
const soon = { timeout: 20_000, interval: 50 };

afterAll(() => {
  devices.clear();
});

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.skipIf(process.platform === "win32")(
  "[SM9] a program that was killed leaves no summariser behind, nor what that has started",
  async () => {
    const device = devices.device("killed");
    const { home, folder } = device;
    await device.json("import", session);
    const pids = join(folder, "pids");
    const program = join(folder, "summariser.mjs");
    writeFileSync(
      program,
      `import { spawn } from "node:child_process"; import { renameSync, writeFileSync } from "node:fs";
       const own = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
       writeFileSync(${JSON.stringify(`${pids}.new`)}, process.pid + " " + own.pid);
       renameSync(${JSON.stringify(`${pids}.new`)}, ${JSON.stringify(pids)});
       setInterval(() => {}, 1000);`,
    );
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const config = { summariser: `'${process.execPath}' '${program}'`, summariserSeconds: 600 };
    writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TIDEMARK_HOME: home };
    const child = spawn(process.execPath, [clientProgram, "summarise"], {
      cwd: folder,
      env: { ...env, TIDEMARK_KEYCHAIN: "off" },
      stdio: "ignore",
    });
    await vi.waitUntil(() => existsSync(pids), soon);
    const started = readFileSync(pids, "utf8").split(" ").map(Number);
    expect(started.map((pid) => runs(pid))).toEqual([true, true]);
    child.kill("SIGKILL");
    await once(child, "exit");
    try {
      await vi.waitUntil(() => !started.some((pid) => runs(pid)), soon);
    } finally {
      for (const pid of started) if (runs(pid)) process.kill(pid, "SIGKILL");
    }
  },
);
