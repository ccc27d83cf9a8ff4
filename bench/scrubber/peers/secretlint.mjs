import { performance } from "node:perf_hooks";
import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { answer, replaceSpans } from "./adapter.mjs";

// It notes marks of its own times and looks them up one by one: after thousands of texts that
// would take longer than its work.
performance.mark = () => undefined;

const id = "@secretlint/secretlint-rule-preset-recommend";
const options = {
  config: { rules: [{ id, rule: creator, options: {} }] },
  noPhysicFilePath: true,
};

await answer(async (content) => {
  const source = { content, filePath: "output.txt", ext: ".txt", contentType: "text" };
  const { messages } = await lintSource({ source, options });
  return replaceSpans(
    content,
    messages.map(({ range }) => range),
  );
});
