import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileLog } from "./log.ts";
import { noteSkip, readSkips } from "./skip-log.ts";

const clock = { nowMs: () => Date.UTC(2026, 0, 2) };
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-log-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("[OPS44] one JSON object a line, from its level up, 0600", () => {
  const path = join(folder, "log", "tidemark.log");
  const log = createFileLog({ clock, path, level: "warn" });
  log.info("quiet");
  log.warn("capture-spooled", { kind: "busy", count: 2 });
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    time: "2026-01-02T00:00:00.000Z",
    level: "warn",
    event: "capture-spooled",
    kind: "busy",
    count: 2,
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("[OPS44] a log never grows past its bound", () => {
  const path = join(folder, "tidemark.log");
  const log = createFileLog({ clock, path, level: "info", bytesMax: 1000 });
  for (let index = 0; index < 100; index += 1) log.info("event", { index });
  expect(statSync(path).size).toBeLessThanOrEqual(1000);
  expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(1000);
  expect(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)).toContain('"index":99');
});

test("[OPS44] a log that cannot be written fails nobody", () => {
  const log = createFileLog({ clock, path: "/dev/null/log", level: "info" });
  expect(() => {
    log.error("lost");
  }).not.toThrow();
});

test("[HK12] skips are counted by reason", () => {
  const path = join(folder, "skips.jsonl");
  for (const reason of ["not json", "busy", "not json"]) noteSkip(clock, path, reason);
  expect(readSkips(path)).toEqual({
    total: 3,
    byReason: { "not json": 2, busy: 1 },
    lastAtMs: clock.nowMs(),
  });
  expect(readSkips(join(folder, "none"))).toEqual({ total: 0, byReason: {}, lastAtMs: undefined });
});
