/** Hooks of a session while another process holds the database in one long write. */
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
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
