import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lastTokenUse } from "./token-use.ts";

const linesOf = (path: string): readonly string[] =>
  readFileSync(new URL(`../../../../test/fixtures/${path}`, import.meta.url), "utf8").split("\n");

test("[TM5] a recorded session of Claude Code and one of Codex tell what is in use", () => {
  expect(lastTokenUse(linesOf("sessions/review-page.jsonl"))?.tokens).toBeGreaterThan(20_000);
  expect(lastTokenUse(linesOf("codex/rollout.jsonl"))).toMatchObject({ window: 258_400 });
});

function assistant(part: object, usage: object = { input_tokens: 3, output_tokens: 4 }): string {
  return JSON.stringify({ type: "assistant", message: { usage }, ...part });
}

test("[TM5] the last count holds, with what came from the cache", () => {
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 2_000,
    output_tokens: 40,
  };
  expect(lastTokenUse([assistant({}), assistant({}, usage)])).toEqual({ tokens: 2_143 });
});

test("[TM5] sub-agents, other lines and other shapes are passed over", () => {
  const lines = [
    assistant({}),
    assistant({ isSidechain: true }, { input_tokens: 90_000 }),
    assistant({ agentId: "a1" }, { input_tokens: 90_000 }),
    assistant({ message: { model: "<synthetic>", usage: { input_tokens: 0 } } }),
    assistant({}, { input_tokens: "many" }),
    assistant({}, { input_tokens: -1 }),
    JSON.stringify({ type: "user", text: "about input_tokens" }),
    JSON.stringify({ payload: { type: "token_count", info: null, input_tokens: 1 } }),
    '{"type":"assistant","message":{"usage":{"input_tokens":7',
    "7 input_tokens",
    "",
  ];
  expect(lastTokenUse(lines)).toEqual({ tokens: 7 });
  expect(lastTokenUse(lines.slice(1))).toBeUndefined();
});
