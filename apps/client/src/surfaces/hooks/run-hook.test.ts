import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, ok } from "@tidemark/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canaries, namedCanary } from "../../memory/testing/canaries.ts";
import { testScrub } from "../../memory/testing/scrub.ts";
import { systemRandom } from "../../platform/random.ts";
import { createSpoolFile } from "../../platform/spool-file.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { StoreFailure } from "../../store/store-error.ts";
import { testOptions } from "../../store/testing/test-store.ts";
import { hookAgents } from "./agents.ts";
import { runHook, type HookDeps } from "./run-hook.ts";

let home = "";
let store: Store;
let skips: string[] = [];
let answers: string[] = [];
let syncs = 0;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tidemark-hook-"));
  const opened = openStore({ ...testOptions(), path: join(home, "tidemark.db") });
  if (!opened.ok) throw new Error(opened.error.message);
  store = opened.value;
  skips = [];
  answers = [];
  syncs = 0;
});
afterEach(() => {
  store.close();
  rmSync(home, { recursive: true, force: true });
});

function deps(changes: Partial<HookDeps> = {}): HookDeps {
  return {
    config: { contextTokens: 800 },
    clock: { nowMs: () => 1_800_000_000_000 },
    random: systemRandom,
    sha256: testOptions().sha256,
    scrub: testScrub(),
    spool: createSpoolFile(systemRandom, join(home, "spool.jsonl")),
    openStore: () => ok(store),
    leaveStore: () => {},
    contextBuilder: () => ({ build: () => undefined }),
    projectOf: (folder) => `path:test:${folder ?? ""}`,
    workAt: () => ({}),
    answer: (text) => {
      answers.push(text);
    },
    startSync: () => {
      syncs += 1;
    },
    log: { debug: () => undefined, warn: () => undefined },
    noteSkip: (reason) => {
      skips.push(reason);
    },
    ...changes,
  };
}

type Payload = Readonly<Record<string, unknown>>;

function call(event: string, payload: Payload | string, changes: Partial<HookDeps> = {}): void {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  runHook(deps(changes), { agent: "claude-code", event, stdin: { kind: "text", text } });
}

const session = { session_id: "5b0c8f0e-2f0a-4a58-9d9c-1f6f0f6f0f6f", cwd: "/home/dev/app" };

function command(id: string, more: Payload = {}): Payload {
  return {
    ...session,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command: "git commit -m 'Fix the parser'" },
    tool_response: { stdout: "[main 1a2b3c4] Fix the parser", stderr: "" },
    ...more,
  };
}

function homeText(): string {
  return readdirSync(home)
    .map((name) => readFileSync(join(home, name), "latin1"))
    .join("\n");
}

test("[HK1] a tool's use becomes an observation of its session, in one step", () => {
  call("PostToolUse", command("toolu_1"));
  const all = store.reads.list({});
  expect(all).toHaveLength(1);
  expect(all[0]).toMatchObject({
    project: "path:test:/home/dev/app",
    agent: "claude-code",
    origin: "agent",
  });
  expect(all[0]?.title).toContain("Fix the parser");
  const sessions = store.reads.records("session");
  expect(sessions.map(({ id }) => id)).toEqual([all[0]?.session]);
  expect(skips).toEqual([]);
  expect(answers).toEqual([]);
});

test("[CP53] the same event captured twice is captured once", () => {
  call("PostToolUse", command("toolu_1"));
  const before = store.reads.list({});
  call("PostToolUse", command("toolu_1"));
  expect(store.reads.list({})).toEqual(before);
});

test("[CP53] a captured observation that a person changed or forgot stays so", () => {
  call("PostToolUse", command("toolu_1"));
  const [first] = store.reads.list({});
  if (first === undefined) throw new Error("nothing was captured");
  const forgotten = store.changes.change(first.namespace, [{ kind: "forget", id: first.id }], 1);
  expect(forgotten.ok).toBe(true);
  store.sessions.trim(Number.MAX_SAFE_INTEGER);
  call("PostToolUse", command("toolu_1"));
  expect(store.reads.list({ includeHidden: true })).toEqual([]);
});

test("[CP54] what a namespace does not take goes to the personal one", () => {
  call("PostToolUse", command("toolu_1"), {
    openStore: () =>
      ok({ ...store, bindings: { ...store.bindings, namespaceOf: () => "ns_gone" as never } }),
  });
  expect(store.reads.list({}).map(({ namespace }) => namespace)).toEqual([
    store.bindings.personal(),
  ]);
});

test("[CP56] a session has a title, an outcome and an end", () => {
  call("SessionStart", { ...session, hook_event_name: "SessionStart", source: "startup" });
  const prompt = "Please make the parser accept trailing commas in lists";
  call("UserPromptSubmit", {
    ...session,
    hook_event_name: "UserPromptSubmit",
    prompt,
    prompt_id: "p1",
  });
  call("PostToolUse", command("toolu_1"));
  call("SessionEnd", { ...session, hook_event_name: "SessionEnd", reason: "logout" });
  const [record] = store.reads.records("session");
  expect(record?.fields).toMatchObject({
    agent: "claude-code",
    project: "path:test:/home/dev/app",
    endReason: "logout",
    outcome: { commits: ["Fix the parser"] },
  });
  expect(record?.fields["title"]).toContain("trailing commas");
  expect(syncs).toBe(2);
});

test("[HK10] context is answered in the host's form, and only where it fits", () => {
  const start = { ...session, hook_event_name: "SessionStart", source: "startup" };
  call("SessionStart", start, { contextBuilder: () => ({ build: () => "what is known" }) });
  expect(answers.map((text) => JSON.parse(text) as unknown)).toEqual([
    {
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "what is known" },
    },
  ]);
  const build = (): string => "x".repeat(9001);
  call("SessionStart", { ...start, source: "resume" }, { contextBuilder: () => ({ build }) });
  expect(answers).toHaveLength(1);
  expect(skips).toEqual(["context too long"]);
});

test("[HK10] no context without a budget, for a sub-agent, or after a second", () => {
  const contextBuilder = () => ({ build: () => "what is known" });
  const start = { ...session, hook_event_name: "SessionStart", source: "startup" };
  call("SessionStart", start, { contextBuilder, config: { contextTokens: 0 } });
  call("SessionStart", { ...start, source: "clear", agent_id: "a1" }, { contextBuilder });
  let nowMs = 0;
  const clock = { nowMs: () => (nowMs += 1_500) };
  call("SessionStart", { ...start, source: "resume" }, { contextBuilder, clock });
  expect(answers).toEqual([]);
});

test("[HK11] what is no event is skipped, counted by reason, and never thrown", () => {
  call("PostToolUse", "{");
  call("PostToolUse", "\0");
  call("PostToolUse", "[]");
  call("Nope", command("toolu_1"));
  call("PostToolUse", { hook_event_name: "PostToolUse" });
  runHook(deps(), { agent: "nobody", event: "PostToolUse", stdin: { kind: "text", text: "{}" } });
  runHook(deps(), {
    agent: "claude-code",
    event: "PostToolUse",
    stdin: { kind: "too-large", bytes: 60_000_000 },
  });
  expect(skips).toEqual([
    "not json",
    "not json",
    "not an object",
    "unknown event",
    "no session id",
    "unknown agent",
    "too large",
  ]);
});

test("[HK11] our own tools and other hosts are passed over without a count", () => {
  call("PostToolUse", command("toolu_1", { tool_name: "mcp__tidemark__search" }));
  expect(skips).toEqual([]);
  expect(store.reads.list({})).toEqual([]);
});

test("[HK20] a database in trouble sends the event to the spool, and the next hook takes it out", () => {
  const trouble = { kind: "busy", message: "", hint: "" } as const;
  call("PostToolUse", command("toolu_1"), { openStore: () => fail(trouble) });
  call("PostToolUse", command("toolu_1"), { openStore: () => fail(trouble) });
  expect(store.reads.list({})).toEqual([]);
  expect(skips).toEqual([]);
  expect(readFileSync(join(home, "spool.jsonl"), "utf8")).toContain("Fix the parser");
  call("PostToolUse", command("toolu_2", { tool_input: { command: "ls" }, tool_response: {} }));
  expect(store.reads.list({})).toHaveLength(1);
  expect(readdirSync(home).filter((name) => name.startsWith("spool"))).toEqual([]);
});

test("[HK80] what waits in the spool is captured before what came after it: a fix is told, no open failure", () => {
  const trouble = { openStore: () => fail({ kind: "busy", message: "", hint: "" } as const) };
  call("PostToolUseFailure", failing("toolu_1"), trouble);
  call("PostToolUse", edit("toolu_2"), trouble);
  call("PostToolUse", passing("toolu_3"));
  expect(kinds()).toContain("fix");
  call("Stop", { ...session, hook_event_name: "Stop" });
  expect(kinds()).not.toContain("failure");
});

test("[HK80] where the spool cannot be emptied in time, an event waits behind it; a full spool keeps none of it back", () => {
  const trouble = { openStore: () => fail({ kind: "busy", message: "", hint: "" } as const) };
  call("PostToolUseFailure", failing("toolu_1"), trouble);
  call("PostToolUse", edit("toolu_2"), trouble);
  let nowMs = 1_800_000_000_000;
  const slow = { clock: { nowMs: () => (nowMs += 150) } };
  call("PostToolUse", passing("toolu_3"), slow);
  expect(kinds()).toEqual([]);
  call("PostToolUse", passing("toolu_4"));
  expect(kinds()).toContain("fix");

  const spool = createSpoolFile(systemRandom, join(home, "spool.jsonl"));
  call("PostToolUse", command("toolu_5"), trouble);
  const full = { ...spool, append: () => fail({ kind: "io" }) };
  const commit = { tool_input: { command: "git commit -m 'Cut the lexer'" } };
  const late = {
    ...command("toolu_6"),
    ...commit,
    tool_response: { stdout: "[main 1a2b3c5] Cut the lexer" },
  };
  call("PostToolUse", late, { spool: full, clock: { nowMs: () => (nowMs += 1_001) } });
  expect(store.reads.list({}).map(({ title }) => title)).toContain("Cut the lexer");
});

test("[HK80] a database that takes nothing of the spool is not asked a second time", () => {
  const trouble = { kind: "busy", message: "", hint: "" } as const;
  call("PostToolUse", command("toolu_1"), { openStore: () => fail(trouble) });
  let asked = 0;
  const transact = (): never => {
    asked += 1;
    throw new StoreFailure(trouble);
  };
  call("PostToolUse", command("toolu_2"), { openStore: () => ok({ ...store, transact }) });
  expect(asked).toBe(1);
  expect(readdirSync(home).filter((name) => name.startsWith("spool"))).toHaveLength(2);
  expect(homeText()).toContain("toolu_2");
});

test("[HK80] a spool that cannot be gone through keeps no event back", () => {
  const claim = (): never => {
    throw Object.assign(new Error("EPERM"), { code: "EPERM" });
  };
  const spool = { append: () => fail({ kind: "io" }), hasLines: () => true, claim };
  call("PostToolUse", command("toolu_1"), { spool });
  expect(store.reads.list({})).toHaveLength(1);
});

function kinds(): readonly string[] {
  return store.reads.list({}).map(({ kind }) => kind);
}

function failing(id: string): Payload {
  return {
    ...command(id),
    hook_event_name: "PostToolUseFailure",
    tool_input: { command: "npm test" },
    error: "Exit code 1\nTypeError: cannot read properties of undefined (reading 'comma')",
  };
}

function edit(id: string): Payload {
  const file_path = "/home/dev/app/src/parser.ts";
  const tool_input = { file_path, old_string: "token.comma;", new_string: "token?.comma ?? 0;" };
  return { ...command(id), tool_name: "Edit", tool_input, tool_response: { filePath: file_path } };
}

function passing(id: string): Payload {
  const tool_response = { stdout: "Tests: 12 passed", stderr: "" };
  return { ...command(id), tool_input: { command: "npm test" }, tool_response };
}

test("[HK2] work that may be left out stops after one second; the capture is kept", () => {
  const trouble = { kind: "busy", message: "", hint: "" } as const;
  call("PostToolUse", command("toolu_1"), { openStore: () => fail(trouble) });
  let asked = 0;
  const contextBuilder = () => ({
    build: () => {
      asked += 1;
      return undefined;
    },
  });
  let nowMs = 1_800_000_000_000;
  const clock = { nowMs: () => (nowMs += 1_001) };
  const start = { ...session, hook_event_name: "SessionStart", source: "startup" };
  call("SessionStart", start, { contextBuilder, clock });
  expect(asked).toBe(0);
  expect(store.reads.list({})).toEqual([]);
  expect(readdirSync(home).some((name) => name.startsWith("spool"))).toBe(true);
  call("SessionStart", { ...start, source: "clear" }, { contextBuilder });
  expect(asked).toBe(1);
  expect(store.reads.list({})).toHaveLength(1);
});

test("[HK20] without database and spool the loss is counted", () => {
  const spool = { append: () => fail({ kind: "io" }), hasLines: () => false, claim: () => [] };
  const trouble = { kind: "full", message: "", hint: "" } as const;
  call("PostToolUse", command("toolu_1"), { spool, openStore: () => fail(trouble) });
  expect(skips).toEqual(["full"]);
});

const places = fc.constantFrom(
  (secret: string): Payload =>
    command("toolu_s", { tool_response: { stdout: `token: ${secret}\n` } }),
  (secret: string): Payload =>
    command("toolu_s", { tool_input: { command: `curl -H 'X: ${secret}'` } }),
  (secret: string): Payload => command("toolu_s", { [secret]: secret, tool_use_id: secret }),
  (secret: string): Payload => ({
    ...command("toolu_s"),
    session_id: secret,
    cwd: `/home/${secret}`,
  }),
  (secret: string): Payload => ({
    ...session,
    hook_event_name: "UserPromptSubmit",
    prompt: secret,
  }),
  (secret: string): Payload =>
    command("toolu_s", {
      tool_name: "Write",
      tool_input: {
        file_path: `/home/dev/app/${secret}.ts`,
        content: `export const key = "${secret}";\n`,
      },
    }),
  (secret: string): Payload =>
    command("toolu_s", {
      tool_response: { stdout: `${"x ".repeat(50_000)}${secret}${" y".repeat(50_000)}` },
    }),
);

test("[SC53] whatever a host sends, no secret reaches the home: database, log, spool (abuse 127)", () => {
  const secrets = fc.constantFrom(...canaries);
  const trouble = { kind: "full", message: "", hint: "" } as const;
  fc.assert(
    fc.property(places, secrets, fc.boolean(), (place, secret, isBroken) => {
      const payload = place(secret);
      const event = String(payload["hook_event_name"]);
      call(event, payload, isBroken ? { openStore: () => fail(trouble) } : {});
      const text = homeText();
      for (const canary of canaries) expect(text).not.toContain(canary);
    }),
    { seed: 21, numRuns: 60 },
  );
  call(
    "PostToolUse",
    command("toolu_n", { tool_response: { stdout: `PASSWORD='${namedCanary}'` } }),
  );
  expect(homeText()).not.toContain(namedCanary);
});

test("[HK1] no input of any shape makes a hook throw or answer (abuse 182)", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json({ maxDepth: 6, stringUnit: "binary" }),
    fc.tuple(fc.nat(600), fc.string({ unit: "binary", maxLength: 4 })).map(([at, noise]) => {
      const text = JSON.stringify(command("toolu_f"));
      return text.slice(0, at) + noise + text.slice(at + noise.length);
    }),
  );
  const events = fc.constantFrom("PostToolUse", "SessionStart", "Stop", "UserPromptSubmit", "\0");
  fc.assert(
    fc.property(anyText, events, (text, event) => {
      call(event, text);
    }),
    { seed: 22, numRuns: 300 },
  );
  expect(answers).toEqual([]);
});

/** What hosts send, and what none has sent yet: a true opening with anything behind it. */
const openings: readonly (readonly [agent: string, opening: Payload])[] = [
  ["claude-code", { session_id: "s", cwd: "/app" }],
  ["codex", { session_id: "s", turn_id: "t", cwd: "/app" }],
  ["gemini", { session_id: "s", cwd: "/app", timestamp: "2026-11-01T10:00:00Z" }],
  ["cursor", { conversation_id: "s", cursor_version: "9", workspace_roots: ["/app"] }],
  ["windsurf", { trajectory_id: "s", execution_id: "e" }],
  ["vscode", { sessionId: "s", hookEventName: "x", cwd: "/app" }],
  ["cline", { clineVersion: "", taskId: "s", workspaceRoots: ["/app"] }],
  ["opencode", { opencode: 1, sessionID: "s", directory: "/app" }],
];
const eventNames = [
  ..."SessionStart UserPromptSubmit PostToolUse Stop BeforeAgent AfterTool AfterAgent".split(" "),
  ..."sessionStart beforeSubmitPrompt afterFileEdit pre_user_prompt post_write_code".split(" "),
  ..."TaskStart TaskComplete session-start prompt tool turn-end BeforeTomorrow".split(" "),
];

test("[HK14] broken, future, odd and long payloads of every host: no throw, and no answer that a host would choke on", () => {
  const members = [
    ..."hook_event_name hookEventName agent_action_name hookName event prompt source text".split(
      " ",
    ),
    ..."tool_name tool_input tool_response tool_use_id tool_info edits postToolUse tool_result".split(
      " ",
    ),
    ..."userPromptSubmit turn args output exit prompt_response last_assistant_message future".split(
      " ",
    ),
  ];
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      ...eventNames,
      ..."Bash Edit Write run_commands apply_patch".split(" "),
    ),
    fc.jsonValue({ maxDepth: 3 }),
    fc.nat(40_000).map((length) => "x ".repeat(length)),
  );
  const payload = fc.tuple(
    fc.constantFrom(...openings),
    fc.constantFrom(...eventNames),
    fc.dictionary(fc.constantFrom(...members), value, { maxKeys: 8 }),
    fc.option(fc.nat(300), { nil: undefined, freq: 4 }),
  );
  const contextBuilder = () => ({ build: () => "what is known" });
  fc.assert(
    fc.property(payload, ([[agent, opening], event, more, cut]) => {
      answers = [];
      const named = { hook_event_name: event, hookEventName: event, hookName: event, event };
      const own = agent === "windsurf" ? { ...named, agent_action_name: event } : named;
      const whole = JSON.stringify({ ...own, ...opening, ...more });
      const text = cut === undefined ? whole : whole.slice(0, cut);
      runHook(deps({ contextBuilder }), { agent, event, stdin: { kind: "text", text } });
      expect(answers.length).toBeLessThanOrEqual(1);
      const [answer] = answers;
      // The plugin in OpenCode takes text; all others read JSON, an object and nothing beside it.
      if (answer === undefined || agent === "opencode") return;
      expect(JSON.parse(answer)).toBeTypeOf("object");
    }),
    { seed: 23, numRuns: 400 },
  );
  expect(hookAgents.size).toBe(openings.length);
});
