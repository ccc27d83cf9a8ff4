import {
  localNamespace,
  unpairedNamespace,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent } from "../capture/event.ts";
import type { Store } from "../store/store.ts";
import { testOptions, testStore } from "../store/testing/test-store.ts";
import { captureEvent } from "./capture.ts";
import { memoryLimits } from "./limits.ts";
import { testScrub } from "./testing/scrub.ts";

let store: Store;
let count = 0;
let namespace: NamespaceId;
let nowMs = 1_000;

beforeEach(() => {
  namespace = unpairedNamespace;
  nowMs = 1_000;
  store = testStore();
  count = 0;
});
afterEach(() => {
  store.close();
});

function tell(event: AgentEvent["event"], more: Partial<AgentEvent> = {}): void {
  count += 1;
  const { sha256 } = testOptions();
  const told: AgentEvent = {
    agent: "claude-code",
    event,
    name: event,
    sessionId: "s1",
    cwd: "/home/u/app",
    key: `k${count}`,
    ...more,
  };
  const place = { namespace, project: "git:example.com/app", atMs: nowMs };
  expect(captureEvent({ store, scrub: testScrub(), sha256 }, told, place).ok).toBe(true);
}

function bash(command: string, response: string, ok = true): void {
  const tool = { name: "Bash", input: { command }, response, ok };
  tell(ok ? "tool" : "tool-failed", { tool });
}

function looks(times: number): void {
  for (let index = 0; index < times; index += 1) bash("ls", "a.ts");
}

function fields(): Readonly<Record<string, unknown>> {
  return store.reads.records("session")[0]?.fields ?? {};
}

test("[CP56] a prompt late in a long session does not name it anew", () => {
  tell("prompt", { prompt: "Add rate limiting to the gateway" });
  looks(260);
  tell("prompt", { prompt: "Write the release notes of the gateway" });
  tell("turn-end", { assistant: "Written." });
  expect(fields()["title"]).toBe("Add rate limiting to the gateway");
  expect(fields()["outcome"]).toMatchObject({ request: "Add rate limiting to the gateway" });
});

test("[CP56] a greeting names no session; the first request after it does", () => {
  tell("session-start");
  tell("prompt", { prompt: "hi" });
  expect(fields()["title"]).toBe("Session in app");
  tell("prompt", { prompt: "Add rate limiting to the gateway" });
  expect(fields()["title"]).toBe("Add rate limiting to the gateway");
});

test("[CP20] an outcome keeps what came before the events that are still kept", () => {
  tell("prompt", { prompt: "Add rate limiting to the gateway" });
  const input = { file_path: "/home/u/app/src/limit.ts", old_string: "a", new_string: "limit(a)" };
  tell("tool", { tool: { name: "Edit", input, ok: true } });
  bash("npm test", "Exit code 1\nTypeError: no", false);
  bash('git commit -m "limit requests"', "[main 1a2b3c4] limit requests");
  tell("turn-end", { assistant: "Limited." });
  looks(260);
  tell("turn-end", { assistant: "Looked around." });
  expect(fields()["outcome"]).toMatchObject({
    filesChanged: ["src/limit.ts"],
    commits: ["limit requests"],
    checks: [{ command: "npm test", passed: false }],
    unsolved: { command: "npm test", error: "TypeError: no" },
    lastWords: "Looked around.",
  });
  bash("npm test", "3 passed");
  tell("turn-end", { assistant: "It passes." });
  const outcome = fields()["outcome"] as Readonly<Record<string, unknown>>;
  expect(outcome["unsolved"]).toBeUndefined();
  expect(outcome["checks"]).toEqual([{ command: "npm test", passed: true }]);
});

test("[CP20] a turn that outlasts the log is told on its way, at each commit", () => {
  tell("prompt", { prompt: "Add rate limiting to the gateway" });
  for (const name of ["first", "second"]) {
    bash(`git commit -m "${name}"`, `lint passed\n[main 1a2b3c4] ${name}`);
    looks(210);
  }
  tell("turn-end", { assistant: "Done." });
  expect(fields()["outcome"]).toMatchObject({ commits: ["first", "second"] });
});

test.each([
  ["as git prints it", "git commit -m 'fix: close the pool'", "[main 1a2b3c4] fix: close the pool"],
  ["a quiet one", "git commit -q -m 'fix: close the pool'", ""],
])(
  "[CP30] a commit explains all edits since the last one, however long ago: %s",
  (_, ...commit) => {
    const input = { file_path: "/home/u/app/src/pool.ts", old_string: "let a = 1", new_string: "let a = 2" }; // prettier-ignore
    tell("tool", { tool: { name: "Edit", input, response: "", ok: true } });
    looks(memoryLimits.historyEventsMax);
    bash(...commit);
    const told = store.reads.list({}).find(({ title }) => title === "fix: close the pool");
    expect(told?.filesModified).toEqual(["src/pool.ts"]);
  },
);

test("[CP92] a session whose project is bound elsewhere meanwhile goes on in a whole record there", () => {
  tell("session-start");
  tell("prompt", { prompt: "Add rate limiting to the gateway" });
  namespace = localNamespace;
  tell("turn-end", { assistant: "Half of it." });
  tell("turn-end", { assistant: "Done." });
  tell("session-end", { reason: "logout" });
  const [there, ...others] = store.reads.records("session", [localNamespace]);
  expect(others).toEqual([]);
  expect(there?.fields).toMatchObject({
    title: "Add rate limiting to the gateway",
    agent: "claude-code",
    endReason: "logout",
    outcome: { lastWords: "Done." },
  });
  const [before] = store.reads.records("session", [unpairedNamespace]);
  expect(before?.fields["outcome"]).toBeUndefined();
});

test("[CP92] a session whose namespace is closed meanwhile goes on in the personal one", () => {
  const team = { id: "ns_team" as NamespaceId, name: "team", kind: "team", head: 0 } as const;
  const personal = { id: "ns_1" as NamespaceId, name: "personal", kind: "personal", role: "owner", head: 0 } as const; // prettier-ignore
  store.replicas.takeNamespaces("server-1", [personal, { ...team, role: "writer" }], undefined);
  namespace = team.id;
  tell("session-start");
  tell("prompt", { prompt: "Add rate limiting to the gateway" });
  store.replicas.takeNamespaces("server-1", [personal, { ...team, role: "reader" }], undefined);
  tell("turn-end", { assistant: "Half of it." });
  tell("session-end", { reason: "logout" });
  const [there] = store.reads.records("session", [personal.id]);
  expect(there?.fields).toMatchObject({ agent: "claude-code", endReason: "logout" });
});

test("[CP92] a session's record that was forgotten is made nowhere anew", () => {
  tell("session-start");
  const [record] = store.reads.records("session");
  store.changes.change(
    unpairedNamespace,
    [{ kind: "forget", id: record?.id ?? ("" as RecordId) }],
    1,
  );
  namespace = localNamespace;
  tell("prompt", { prompt: "Add rate limiting to the gateway" });
  expect(store.reads.records("session")).toEqual([]);
});

test("[CP93] what was said while a project was bound to this machine alone is not told elsewhere later", () => {
  namespace = localNamespace;
  tell("session-start");
  tell("prompt", { prompt: "Keep the bank account of the firm here" });
  namespace = unpairedNamespace;
  nowMs += 1_000;
  tell("turn-end", { assistant: "Half of it." });
  tell("prompt", { prompt: "Add rate limiting to the gateway" });
  tell("turn-end", { assistant: "Done." });
  tell("session-end", { reason: "logout" });
  const [there] = store.reads.records("session", [unpairedNamespace]);
  expect(JSON.stringify(there?.fields)).not.toContain("bank");
  expect(there?.fields).toMatchObject({
    request: "Add rate limiting to the gateway",
    endReason: "logout",
    outcome: { lastWords: "Done." },
  });
  const [here] = store.reads.records("session", [localNamespace]);
  expect(here?.fields["title"]).toBe("Keep the bank account of the firm here");
});

test("[CP93] an error that was met under `local` is quoted by no fix that is captured elsewhere", () => {
  namespace = localNamespace;
  tell("session-start");
  bash("mix test", "error: undefined function bank_balance/2", false);
  namespace = unpairedNamespace;
  nowMs += 1_000;
  const input = { file_path: "/home/u/app/lib/app.ex", old_string: "one", new_string: "two" };
  tell("tool", { tool: { name: "Edit", input, response: "", ok: true } });
  bash("mix test", "3 tests, 0 failures");
  tell("session-end", { reason: "logout" });
  const captured = store.reads.records("observation", [unpairedNamespace]);
  expect(captured).not.toEqual([]);
  expect(JSON.stringify(captured)).not.toContain("bank_balance");
});
