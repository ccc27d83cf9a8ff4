import { unpairedNamespace } from "@tidemark/protocol";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTranscriptReader } from "../capture/claude-code-transcript.ts";
import type { Store } from "../store/store.ts";
import { testOptions, testStore } from "../store/testing/test-store.ts";
import { forgetRecord } from "./forget.ts";
import { createTranscriptImport } from "./import-transcript.ts";
import { retrospectiveOf, type Retrospective } from "./retrospective.ts";
import { testScrub } from "./testing/scrub.ts";

const fixture = new URL(
  "../../../../test/fixtures/sessions/transcript-look.jsonl",
  import.meta.url,
);
let store: Store;

beforeEach(() => {
  store = testStore();
});
afterEach(() => {
  store.close();
});

function deps() {
  const { clock, random, sha256 } = testOptions();
  return { store, scrub: testScrub(), clock, random, sha256 };
}

function replay(lines: readonly string[]): void {
  const placeOf = () => ({ namespace: unpairedNamespace, project: "git:example.com/app" });
  const run = createTranscriptImport(deps(), createTranscriptReader(), { placeOf });
  for (const line of lines) run.take([line]);
  run.end();
}

function told(): Retrospective {
  const [session] = store.reads.records("session");
  if (session === undefined) throw new Error("no session");
  const left = store.reads.list({ session: session.id, includeHidden: true, order: "oldest" });
  return retrospectiveOf(session.fields, left);
}

test("[LC1] a recorded session tells what it was for, found out, committed and left", () => {
  replay(readFileSync(fixture, "utf8").split("\n").filter(Boolean));
  const { request, investigated, learned, completed, nextSteps } = told();
  expect(request).toBe("Work on bead spotter-fum.");
  expect(investigated).toContain("test/fixtures/transcripts/subagent.jsonl");
  expect(learned).toContain(
    "This is a real bug in the SessionLive code — `agent_id` should be included.",
  );
  expect(completed).toHaveLength(4);
  expect(completed[0]).toContain("enrich TranscriptRenderer");
  expect(nextSteps).toEqual([]);
});

test("[LC1] what failed to the end and what the last words name is next", () => {
  const origin = { sessionId: "s1", cwd: "/work" };
  const use = { type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } };
  const result = { type: "tool_result", tool_use_id: "t1", is_error: true };
  const words = "The limiter works alone. Next step: share the counters between workers.";
  const messages = [
    { type: "user", message: { content: "Add rate limiting to the gateway" } },
    { type: "assistant", message: { id: "m1", content: [use] } },
    { type: "user", message: { content: [{ ...result, content: "Exit code 1\nTypeError: no" }] } },
    { type: "assistant", message: { id: "m2", content: [{ type: "text", text: words }] } },
  ];
  replay(messages.map((message) => JSON.stringify({ ...origin, ...message })));
  expect(told()).toMatchObject({
    request: "Add rate limiting to the gateway",
    completed: [],
    nextSteps: [
      "make npm test pass: TypeError: no",
      "Next step: share the counters between workers.",
    ],
  });
});

test("[LC1] what was forgotten is in no retrospective", () => {
  replay(readFileSync(fixture, "utf8").split("\n").filter(Boolean));
  const bug = store.reads.list({}).find(({ title }) => title.startsWith("This is a real bug"));
  expect(forgetRecord(deps(), bug?.id ?? "").ok).toBe(true);
  expect(told().learned.join()).not.toContain("real bug");
});
