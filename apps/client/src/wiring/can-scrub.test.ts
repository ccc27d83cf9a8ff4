import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ok } from "@tidemark/protocol";
import type { AgentEvent } from "../capture/event.ts";
import { mendSecrets } from "../memory/mend-secrets.ts";
import { spoolEvent } from "../memory/spool.ts";
import { systemRandom } from "../platform/random.ts";
import { createSpoolFile } from "../platform/spool-file.ts";
import { pairedStore } from "../store/testing/exchange.ts";
import { TestServer } from "../store/testing/test-server.ts";
import { make, namespace, put } from "../store/testing/world.ts";
import { canScrub } from "./can-scrub.ts";
import { openDeviceHome } from "./home.ts";
import { ageDaily } from "./lifecycle.ts";
import { openMemory } from "./memory.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-can-scrub-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const atMs = Date.UTC(2026, 5, 1);
const prompt: AgentEvent = {
  event: "prompt",
  agent: "claude-code",
  name: "UserPromptSubmit",
  sessionId: "s-1",
  key: "prompt-1",
  cwd: "/work",
  prompt: "Why is the moonshot late?",
} as never;

/** A program that has read its settings, and a way to write them anew. */
function running() {
  const env = { TIDEMARK_HOME: folder, HOME: folder, TIDEMARK_KEYCHAIN: "off" };
  const home = openDeviceHome(env, folder);
  expect(home.scrub.text("moonshot")).toBe("moonshot");
  const set = (text: string): void => {
    writeFileSync(join(folder, "config.json"), text, { mode: 0o600 });
  };
  return { home, set };
}

const literals = JSON.stringify({ scrub: { literals: ["moonshot"] } });

test("[CP97] captures that a daemon takes in are scrubbed by settings that changed since its start", () => {
  const { home, set } = running();
  const memory = openMemory(home);
  const spool = createSpoolFile(systemRandom, home.paths.spool);
  expect(spoolEvent(spool, home.scrub, prompt, { project: "p", atMs })).toBe(true);
  set("{");
  expect(memory.takeSpooled(5_000)).toBe(0);
  expect(memory.hasSpooled()).toBe(true);
  set(literals);
  expect(memory.takeSpooled(5_000)).toBe(1);
  const { sessions } = memory.store;
  const [session] = sessions.sessionsSince(0);
  const told = JSON.stringify(session === undefined ? [] : sessions.events(session));
  expect(told).toMatch(/Why is the __SECRET_\w+ late/u);
  expect(told).not.toContain("moonshot");
  memory.store.close();
});

test("[CP97] a daemon ages memory as long as that is switched on, and no longer", () => {
  const { home, set } = running();
  const memory = openMemory(home);
  expect(ageDaily(home, memory)).toBe(false);
  set(JSON.stringify({ lifecycle: true }));
  expect(ageDaily(home, memory)).toBe(true);
  memory.store.close();
});

test("[CP97] where scrub settings are broken, what a server refused waits, and sync goes on", () => {
  const { home, set } = running();
  const server = new TestServer(namespace);
  server.refusals.set("record1", "secret-detected");
  const store = pairedStore(server);
  const scrub = { ...home.scrub, value: () => ok(home.scrub.text("moonshot") as never) };
  const replicas = mendSecrets({ store, scrub, canScrub: () => canScrub(home) });
  make(store, put("record1", { title: "hidden" }));
  const limits = { ops: 10, bytes: 1_000_000 };
  const plan = replicas.planPush(namespace, limits);
  if (plan === undefined) throw new Error("there is something to push");
  const answer = server.push(plan);
  if ("kind" in answer) throw new Error("refused");
  set("{");
  replicas.takePushAnswer(namespace, plan, answer);
  expect(store.reads.rejected()).toMatchObject([{ record: "record1" }]);
  set(literals);
  const pull = replicas.planPull(namespace);
  const page = pull === undefined ? undefined : server.pull(pull.after, plan.header.writer);
  if (pull === undefined || page === undefined || "kind" in page) throw new Error("refused");
  replicas.takePage(namespace, pull, page);
  expect(store.reads.rejected()).toEqual([]);
  expect(replicas.planPush(namespace, limits)?.lines[0]).toMatch(/"title":"__SECRET_/u);
});
