import { expect, test } from "vitest";
import { createLog, redactedFacts } from "./log.ts";

test("[OPS2] a log line is one JSON object with time, level and event", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", write: (line) => lines.push(line) });
  log.warn("push-answered", { ops: 3, accepted: 2 });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "warn",
    event: "push-answered",
    ops: 3,
    accepted: 2,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
});

test("[OPS2] facts that carry secrets are redacted even when passed by mistake", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", write: (line) => lines.push(line) });
  for (const name of redactedFacts) log.info("slip", { [name]: "hunter2" });
  expect(lines).toHaveLength(redactedFacts.length);
  expect(lines.join("")).not.toContain("hunter2");
});

test("[OPS2] the level silences what is below it", () => {
  const lines: string[] = [];
  const log = createLog({ level: "error", write: (line) => lines.push(line) });
  log.info("quiet");
  log.warn("quiet");
  log.error("loud");
  expect(lines).toHaveLength(1);
});
