import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemRandom } from "./random.ts";
import { loadOrCreateScrubKey } from "./scrub-key.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-scrub-key-"));
  path = join(folder, "scrub.key");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function keyAt(file: string): string {
  const key = loadOrCreateScrubKey(systemRandom, file);
  return key.ok ? Buffer.from(key.value).toString("base64url") : key.error.hint;
}

test("[OPS112] the key is made once, for its owner alone", () => {
  const key = keyAt(path);
  expect(key).toHaveLength(43);
  expect([keyAt(path), readFileSync(path, "utf8")]).toEqual([key, `${key}\n`]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("[OPS112] a key file that was begun and never written is written by the next one", () => {
  writeFileSync(path, "", { mode: 0o600 });
  const key = keyAt(path);
  expect(key).toHaveLength(43);
  expect(keyAt(path)).toBe(key);
});

test("[OPS112] the first line is the key, and what is none is told", () => {
  const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64url"));
  writeFileSync(path, `${first}\r\n${second}\n`, { mode: 0o600 });
  expect(keyAt(path)).toBe(first);
  const damaged = "the key file is damaged; remove it, and a new one is made";
  for (const told of ["\n", "short\n", `\n${first}\n`, "\0".repeat(44)]) {
    writeFileSync(path, told);
    expect(keyAt(path)).toBe(damaged);
    expect(readFileSync(path, "utf8")).toBe(told);
  }
});

test("[OPS112] programs that start at once in an empty home have one key", async () => {
  const rounds = 300;
  // They begin each round at the same tick of the clock.
  const script = `
    const { loadOrCreateScrubKey } = await import(${JSON.stringify(new URL("scrub-key.ts", import.meta.url).href)});
    const { systemRandom } = await import(${JSON.stringify(new URL("random.ts", import.meta.url).href)});
    const keys = [];
    process.stdout.write("ready\\n");
    const [go] = await new Promise((done) => process.stdin.once("data", (data) => done([Number(data)])));
    for (let round = 0; round < ${String(rounds)}; round += 1) {
      while (Date.now() < go + round * 2);
      const key = loadOrCreateScrubKey(systemRandom, ${JSON.stringify(folder)} + "/" + round);
      keys.push(key.ok ? Buffer.from(key.value).toString("base64url") : key.error.hint);
    }
    process.stdout.write(JSON.stringify(keys));
    process.stdin.destroy();`;
  const args = ["--import", "tsx", "--conditions=source", "--input-type=module", "-e", script];
  const children = [1, 2].map(() => spawn(process.execPath, args, { stdio: "pipe" }));
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const go = `${String(Date.now() + 50)}\n`;
  const said = await Promise.all(
    children.map(async (child) => {
      child.stdin.write(go);
      return JSON.parse(await text(child.stdout)) as readonly string[];
    }),
  );
  const [ones = [], others = []] = said;
  expect(ones).toHaveLength(rounds);
  expect(ones.filter((key, round) => key.length !== 43 || key !== others[round])).toEqual([]);
});
