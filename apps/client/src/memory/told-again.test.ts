import { unpairedNamespace } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseClaudeCodeHook } from "../capture/claude-code.ts";
import { createTranscriptReader } from "../capture/claude-code-transcript.ts";
import { parseCodexHook } from "../capture/codex.ts";
import type { Parsed } from "../capture/event.ts";
import type { Store } from "../store/store.ts";
import { testOptions, testStore } from "../store/testing/test-store.ts";
import { captureEvent } from "./capture.ts";
import { createTranscriptImport, type TranscriptDeps } from "./import-transcript.ts";
import { testScrub } from "./testing/scrub.ts";

type Payload = Readonly<Record<string, unknown>>;

const place = { namespace: unpairedNamespace, project: "git:example.com/app" };
let store: Store;
let deps: TranscriptDeps;
let nowMs: number;

beforeEach(() => {
  store = testStore();
  nowMs = 1_700_000_000_000;
  const { random, sha256 } = testOptions();
  deps = { store, scrub: testScrub(), clock: { nowMs: () => nowMs }, random, sha256 };
});
afterEach(() => {
  store.close();
});

/** Gives whether it was new. */
function take(parsed: Parsed, atMs: number): boolean {
  if (!parsed.ok) throw new Error(parsed.skip.reason);
  const captured = captureEvent(deps, parsed.event, { ...place, atMs });
  if (!captured.ok) throw new Error(captured.error.kind);
  return captured.value.isNew;
}

const common = { session_id: "s1", cwd: "/projects" };

function claude(name: string, more: Payload = {}, atMs = (nowMs += 1_000)): boolean {
  return take(parseClaudeCodeHook(name, { ...common, hook_event_name: name, ...more }), atMs);
}

function codex(name: string, more: Payload = {}): boolean {
  nowMs += 1_000;
  return take(parseCodexHook(name, { ...common, hook_event_name: name, ...more }), nowMs);
}

function edit(file: string): Payload {
  const tool_input = { file_path: `/projects/${file}`, old_string: "let a = 1", new_string: "let a = 2" }; // prettier-ignore
  return { tool_name: "Edit", tool_input, tool_response: "", tool_use_id: file };
}

function changed(): readonly string[] {
  const changes = store.reads.list({ kinds: ["change"] });
  return changes.flatMap(({ filesModified }) => filesModified).toSorted();
}

function record(): Payload {
  return store.reads.records("session")[0]?.fields ?? {};
}

test("[CP94] a session that is resumed ends again, and what it did since is told", () => {
  claude("SessionStart", { source: "startup" });
  claude("UserPromptSubmit", { prompt: "Add rate limiting to the gateway", prompt_id: "p1" });
  claude("SessionEnd", { reason: "logout" });
  for (const file of ["one.ts", "two.ts"]) {
    claude("SessionStart", { source: "resume" });
    expect(record()["endedAt"]).toBeNull();
    claude("UserPromptSubmit", { prompt: `Now ${file}, please`, prompt_id: file });
    claude("PostToolUse", edit(file));
    // Ended in the middle of the turn.
    claude("SessionEnd", { reason: "other" });
    expect(record()).toMatchObject({ endedAt: nowMs, endReason: "other" });
  }
  expect(changed()).toEqual(["one.ts", "two.ts"]);
  expect(record()["outcome"]).toMatchObject({ filesChanged: ["one.ts", "two.ts"] });
});

test("[CP94] a session that was imported while it went on ends when it does", () => {
  const line = (uuid: string, message: object): string =>
    JSON.stringify({
      type: "user",
      uuid,
      sessionId: "s1",
      cwd: "/projects",
      promptId: uuid,
      message,
      timestamp: new Date(nowMs).toISOString(),
    });
  const reader = createTranscriptReader();
  const run = createTranscriptImport(deps, reader, { placeOf: () => place });
  run.take([line("p1", { role: "user", content: "Add rate limiting to the gateway" })]);
  run.end();
  claude("PostToolUse", edit("one.ts"));
  claude("SessionEnd", { reason: "logout" });
  expect(record()).toMatchObject({ endedAt: nowMs, endReason: "logout" });
  expect(changed()).toEqual(["one.ts"]);
});

test.each([
  ["named by the host", (turn: string) => ({ turn_id: turn })],
  ["without a name", () => ({})],
])("[CP94] a turn that ends in the words of an earlier one ends all the same: %s", (_, named) => {
  for (const file of ["one.ts", "two.ts"]) {
    codex("UserPromptSubmit", { prompt: `Please fix ${file}`, ...named(file) });
    codex("PostToolUse", {
      tool_name: "apply_patch",
      tool_use_id: file,
      tool_input: {
        command: `*** Begin Patch\n*** Update File: ${file}\n@@\n-let a = 1\n+let a = 2\n*** End Patch`,
      },
      tool_response: "",
      ...named(file),
    });
    codex("Stop", { last_assistant_message: "Done.", ...named(file) });
  }
  // Codex tells of no end of a session: nothing that comes later would tell it.
  expect(changed()).toEqual(["one.ts", "two.ts"]);
});

test("[CP94] what is told twice is known, also once the session went on", () => {
  const told: readonly (readonly [name: string, more: Payload])[] = [
    ["SessionStart", { source: "startup" }],
    ["UserPromptSubmit", { prompt: "Fix the login", prompt_id: "p1" }],
    ["Stop", { last_assistant_message: "Done." }],
    ["SessionEnd", { reason: "logout" }],
    ["SessionStart", { source: "resume" }],
    ["UserPromptSubmit", { prompt: "Fix the logout", prompt_id: "p2" }],
    ["Stop", { last_assistant_message: "Done." }],
    ["SessionEnd", { reason: "logout" }],
  ];
  const all = told.map((call, index) => ({ call, atMs: nowMs + index * 1_000 }));
  for (const { call, atMs } of all) expect(claude(...call, atMs)).toBe(true);
  // A drain that was cut off tells it again, with the times of then; a second hook a little later.
  for (const { call, atMs } of all) expect(claude(...call, atMs)).toBe(false);
  const last = all.at(-1);
  if (last !== undefined) expect(claude(...last.call, last.atMs + 5)).toBe(false);
});
