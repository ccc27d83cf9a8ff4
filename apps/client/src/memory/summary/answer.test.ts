import { expect, test } from "vitest";
import { noCost, readAnswer } from "./answer.ts";

const printed = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "It shipped.",
  total_cost_usd: 0.0421,
  usage: {
    input_tokens: 10,
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 4_000,
    output_tokens: 55,
  },
};
const cost = { usd: 0.0421, inputTokens: 4_310, outputTokens: 55 };

test("[SM8] JSON that has a result tells the answer and what it cost", () => {
  const read = { text: "It shipped.", isError: false, cost };
  expect(readAnswer(`${JSON.stringify(printed)}\n`)).toEqual(read);
  const messages = [{ type: "system" }, { type: "assistant" }, printed];
  expect(readAnswer(JSON.stringify(messages))).toEqual(read);
});

test("[SM4] a result that says of itself that it failed is none, and its cost counts", () => {
  const read = readAnswer(JSON.stringify({ ...printed, is_error: true }));
  expect(read).toMatchObject({ isError: true, cost });
});

test.each(["It shipped.", '{"title":"no result"}', "{ broken", "[]", "[1]", "", "null", "[[]]"])(
  "[SM8] %j is the answer itself, and costs nothing that is known",
  (text) => {
    expect(readAnswer(text)).toEqual({ text, isError: false, cost: noCost });
  },
);

test("[SM8] figures that cannot be are none", () => {
  const usage = { input_tokens: -5, output_tokens: "many" };
  const odd = readAnswer(JSON.stringify({ result: 7, total_cost_usd: 1e300, usage }));
  expect(odd).toEqual({ text: "", isError: false, cost: noCost });
});
