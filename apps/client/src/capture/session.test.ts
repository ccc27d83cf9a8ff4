import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { readTranscript } from "./claude-code-transcript.ts";
import type { AgentEvent } from "./event.ts";
import { sessionOutcome, sessionTitle } from "./session.ts";

const fixture = new URL("../../../../test/fixtures/sessions/review-page.jsonl", import.meta.url);
const recorded = readTranscript(readFileSync(fixture, "utf8")).events;

const base: AgentEvent = {
  agent: "claude-code",
  event: "other",
  name: "Notification",
  sessionId: "s1",
  cwd: "/home/u/app",
  key: "k",
};

function bash(command: string, ok: boolean, response: string): AgentEvent {
  const tool = { name: "Bash", input: { command }, ok, response };
  return { ...base, event: ok ? "tool" : "tool-failed", tool };
}

test("[CP15] a session is named by its request, else its commit, else its folder", () => {
  expect(sessionTitle(recorded)).toBe("Implement spotter-gqc");
  expect(sessionTitle([bash('git commit -m "fix: x"', true, "[main 1a2b3c4] fix: x")])).toBe(
    "fix: x",
  );
  const quiet = 'git commit -q -m "fix: y"';
  expect(sessionTitle([bash(quiet, true, "")])).toBe("fix: y");
  // Nothing was committed, and nothing printed.
  expect(sessionTitle([bash(quiet, false, "")])).toBe("Session in app");
  expect(sessionTitle([base])).toBe("Session in app");
  expect(sessionTitle([])).toBe("Session");
});

test("[CP20] a session's outcome tells what changed, was committed and checked", () => {
  const outcome = sessionOutcome(recorded);
  expect(outcome.request).toBe("Implement spotter-gqc");
  expect(outcome.commits).toHaveLength(3);
  expect(outcome.filesChanged).toContain("lib/spotter_web/live/project_review_live.ex");
  expect(outcome.checks).toContainEqual({ command: "mix test", passed: true });
  expect(outcome.unsolved).toBeUndefined();
});

test("[CP20] a failure that nothing made good is left unsolved", () => {
  const failure = bash("npm test -- a.test.ts", false, "Exit code 1\nTypeError: no");
  const unsolved = { command: "npm test a.test.ts", error: "TypeError: no" };
  expect(sessionOutcome([failure]).unsolved).toEqual(unsolved);
  expect(sessionOutcome([failure, bash("npm test b.test.ts", true, "1 passed")]).unsolved).toEqual(
    unsolved,
  );
  expect(sessionOutcome([failure, bash("npm test", true, "1 passed")]).unsolved).toBeUndefined();
});
