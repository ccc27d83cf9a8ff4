import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, expect, test, vi } from "vitest";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
afterAll(async () => {
  await bench.clear();
  devices.clear();
});

const lines = Array.from({ length: 500 }, (_, index) => {
  const id = `n${String(index).padStart(25, "0")}`;
  const fields = { kind: "note", title: `Note ${index}` };
  return JSON.stringify({ id, collection: "observation", lamport: 1, writer: "w", at: 5, fields });
});

/** Starts a command whose input stays open. */
function start({ home, folder }: TestDevice, ...args: readonly string[]) {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [clientProgram, ...args], {
    env: { PATH, HOME: "/nonexistent", TIDEMARK_HOME: home, TIDEMARK_KEYCHAIN: "off" },
    cwd: folder,
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<{ readonly code: number | null; readonly stderr: string }>(
    (resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        resolve({ code, stderr });
      });
    },
  );
  return { child, ended };
}

async function countOf(device: TestDevice): Promise<number> {
  return (await device.json<{ total: number }>("list", "--all")).total;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`[CL65] an import that ${signal} ends says how much came in, and the same one goes on`, async () => {
    const device = devices.device(signal);
    const { child, ended } = start(device, "import", "-", "--json");
    child.stdin.write(`${lines.join("\n")}\n`);
    // Whole batches are here, and the rest waits for what would fill another one.
    await vi.waitUntil(async () => (await countOf(device)) === 400, { timeout: 20_000 });
    child.kill(signal);
    const { code, stderr } = await ended;
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
    expect([code, error.code, error.message]).toEqual([
      130,
      "interrupted",
      "stopped before the end: 400 records came in and stay",
    ]);
    expect(await countOf(device)).toBe(400);
    const again = await device.run(["import", "-"], lines.join("\n"));
    expect([again.code, again.stdout]).toEqual([0, "100 records added, 400 known before\n"]);
  });
}

test("[CL65] a command that waits for the server ends at once, with what to run", async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await devices.device("owner").json("pair", linksIn(server.stdout())[0] ?? "", "--user", "ada");
  const device = devices.device("asking");
  const { child, ended } = start(device, "pair", server.url, "--yes", "--json");
  const shown: readonly unknown[] = await once(child.stderr, "data");
  expect(String(shown[0])).toContain("tidemark approve");
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  const [said = ""] = /^\{.*\}$/mu.exec(stderr) ?? [];
  expect([code, JSON.parse(said)]).toMatchObject([
    130,
    { error: { code: "interrupted", message: "stopped before the server had answered" } },
  ]);
});

test("[CL65] what does not end by itself is ended with words and 130", async () => {
  const device = devices.device("waiting");
  await device.json("save", "--title", "One");
  const { child, ended } = start(device, "scrub");
  // It reads its input to the end, and hears of nothing else: it is past its start once it reads.
  await new Promise((resolve) => child.stdin.write("x".repeat(1_000_000), resolve));
  child.kill("SIGINT");
  expect(await ended).toEqual({
    code: 130,
    stderr: expect.stringMatching(/^error: stopped before it was done\nhint: .*tidemark status/u),
  });
});
