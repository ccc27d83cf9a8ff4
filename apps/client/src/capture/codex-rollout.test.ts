import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRolloutReader } from "./codex-rollout.ts";
import { parseCodexHook } from "./codex.ts";
import type { AgentEvent } from "./event.ts";

const fixtures = new URL("../../../../test/fixtures/codex/", import.meta.url);

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(name, fixtures), "utf8").trimEnd().split("\n");
}

function read(lines: readonly string[]): readonly AgentEvent[] {
  const reader = createRolloutReader();
  return [...lines.flatMap((line) => reader.readLine(line)), ...reader.end()];
}

test("[IM6] a real rollout has the keys of the hooks of the same session", () => {
  const told = linesOf("hooks.jsonl").map((line) => {
    const parsed = parseCodexHook("", JSON.parse(line));
    if (!parsed.ok) throw new Error(parsed.skip.reason);
    return parsed.event;
  });
  const events = read(linesOf("rollout.jsonl"));
  const keys = (list: readonly AgentEvent[]): readonly string[] => list.map(({ key }) => key);
  expect(keys(events).toSorted()).toEqual(keys(told).toSorted());
  expect(events.map(({ event }) => event)).toEqual([
    "session-start",
    "prompt",
    "tool-failed",
    "tool-failed",
    "turn-end",
  ]);
  expect(events[2]?.tool).toMatchObject({ input: { command: "echo hello; false" }, ok: false });
  expect(events.every(({ cwd, atMs }) => cwd === "/home/dev/shop" && atMs !== undefined)).toBe(
    true,
  );
});

test("[IM6] an older rollout is read too, without what Codex itself puts in", () => {
  const events = read(linesOf("tool-calls.jsonl"));
  expect(events.filter(({ event }) => event === "prompt").map(({ prompt }) => prompt)).toEqual([
    "create one focused commit",
  ]);
  expect(events.at(-1)).toMatchObject({ assistant: "Created one focused commit." });
});

test("[IM6] an older shell's answer says how it ended", () => {
  const call = {
    type: "function_call",
    name: "shell",
    call_id: "c",
    arguments: '{"command":["bash","-lc","npm test"]}',
  };
  const output = { output: "1 failed", metadata: { exit_code: 1 } };
  const answer = { type: "function_call_output", call_id: "c", output: JSON.stringify(output) };
  const lines = [
    { type: "session_meta", payload: { id: "s", cwd: "/app" } },
    { type: "response_item", payload: call },
    { type: "response_item", payload: answer },
  ].map((line) => JSON.stringify(line));
  expect(read(lines)[1]).toMatchObject({
    event: "tool-failed",
    tool: { name: "Bash", input: { command: "npm test" }, response: "1 failed" },
  });
});

test("[IM7] whatever stands in a rollout is an event or a damaged line, and nothing throws", () => {
  const parts = linesOf("rollout.jsonl");
  const line = fc.oneof(
    fc.constantFrom(...parts),
    fc.tuple(fc.constantFrom(...parts), fc.nat(400)).map(([text, at]) => text.slice(0, at)),
    fc.json({ maxDepth: 4 }),
    fc
      .record({
        type: fc.constantFrom("session_meta", "response_item", "event_msg"),
        payload: fc.object(),
      })
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      for (const { key } of read(lines)) expect(key).not.toBe("");
    }),
    { seed: 31, numRuns: 500 },
  );
});
