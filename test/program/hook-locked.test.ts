/** Hooks of a session while another process holds the database in one long write. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openDatabase, type Database } from "../../apps/client/src/store/sqlite.ts";
import { createDevices } from "./client-process.ts";

const devices = createDevices();
const laptop = devices.device("laptop");
let writer: Database | undefined;

beforeAll(async () => {
  await laptop.json("save", "--title", "The queue keeps its jobs in jobs.db");
  await laptop.json("handoff", "--task", "Make the queue restart", "--next", "Write its test");
});
afterEach(() => {
  writer?.close();
  writer = undefined;
});
afterAll(() => {
  devices.clear();
});

function beginWriting(): void {
  writer = openDatabase({ path: join(laptop.home, "tidemark.db"), busyTimeoutMs: 1_000 });
  writer.exec("BEGIN IMMEDIATE");
}

async function hook(event: string, more: object): Promise<string> {
  const payload = { session_id: "s1", cwd: laptop.folder, hook_event_name: event, ...more };
  const ended = await laptop.run(["hook", "claude-code", event], JSON.stringify(payload));
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return ended.stdout;
}

test("[HK15] a session that starts beside a long write has its memory, and a handoff waits on", async () => {
  beginWriting();
  const given = await hook("SessionStart", { source: "startup" });
  expect(given).toContain("The queue keeps its jobs in jobs.db");
  expect(given).not.toContain("Make the queue restart");
  writer?.exec("ROLLBACK");
  expect(await hook("SessionStart", { source: "startup" })).toContain("Make the queue restart");
});

test("[HK15, RC4] a prompt beside a long write is given nothing, for nobody would know of it", async () => {
  const prompt = "Where does the queue keep its jobs?";
  beginWriting();
  expect(await hook("UserPromptSubmit", { session_id: "s2", prompt })).toBe("");
  writer?.exec("ROLLBACK");
  expect(await hook("UserPromptSubmit", { session_id: "s2", prompt })).toContain("jobs.db");
});

test("[HK21] what a hook could not store beside a long write a running daemon takes in", async () => {
  const spool = async (command: string): Promise<void> => {
    beginWriting();
    await hook("PostToolUse", {
      tool_name: "Bash",
      tool_use_id: command,
      tool_input: { command: `git commit -m '${command}'` },
      tool_response: { stdout: `[main 1a2b3c4] ${command}`, stderr: "" },
    });
    expect(isSpooled()).toBe(true);
    writer?.exec("ROLLBACK");
  };
  const isSpooled = () => readdirSync(laptop.home).some((name) => name.startsWith("spool"));
  const taken = async (): Promise<void> => {
    await vi.waitUntil(() => !isSpooled(), { timeout: 30_000, interval: 100 });
  };
  await spool("Stop the queue");
  await laptop.withDaemon(async () => {
    await taken();
    // It has started by now.
    await spool("Start the queue");
    await taken();
  });
  const { items } = await laptop.json<{ items: readonly { title: string }[] }>("list");
  const titles = items.map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(["Start the queue", "Stop the queue"]));
});
