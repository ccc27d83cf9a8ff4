/** Commands that several programs run in one home in the same moment. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientProgram } from "./client-process.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tidemark-at-once-"));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

/** Rejects where it ends with another code than 0. */
async function run(folder: string, ...args: readonly string[]): Promise<string> {
  const { PATH } = process.env;
  const env = { PATH, HOME: home, TIDEMARK_HOME: join(home, "tidemark"), TIDEMARK_KEYCHAIN: "off" };
  const options = { env, cwd: folder };
  const ended = await promisify(execFile)(process.execPath, [clientProgram, ...args], options);
  return ended.stdout;
}

test("[OPS114] of consents that are taken back at once each one is taken back", async () => {
  const text = '[allow]\nkinds = ["email"]\n';
  const digest = createHash("sha256").update(text).digest("hex");
  const projects = [1, 2, 3, 4].map((each) => join(home, `project-${String(each)}`));
  const files = projects.map((folder) => join(folder, ".tidemark", "scrub.toml"));
  for (const folder of projects) mkdirSync(join(folder, ".tidemark"), { recursive: true });
  for (const file of files) writeFileSync(file, text);
  const trust = join(home, "tidemark", "scrub-trust.json");
  mkdirSync(join(home, "tidemark"), { mode: 0o700 });
  for (let round = 1; round <= 5; round += 1) {
    const all = Object.fromEntries(files.map((file) => [file, digest]));
    writeFileSync(trust, JSON.stringify(all), { mode: 0o600 });
    await Promise.all(projects.map((folder) => run(folder, "scrub", "--untrust")));
    expect(JSON.parse(readFileSync(trust, "utf8"))).toEqual({});
  }
});

test("[OPS116] of installs that are run at once each one is done", async () => {
  const settings = join(home, ".claude", "settings.json");
  for (let round = 1; round <= 3; round += 1) {
    mkdirSync(join(home, ".claude"), { recursive: true });
    writeFileSync(settings, '{ "model": "m" }');
    await Promise.all([1, 2, 3].map(() => run(home, "install", "claude-code", "--yes")));
    expect(readFileSync(settings, "utf8")).toContain("hook claude-code SessionStart");
    await Promise.all([1, 2, 3].map(() => run(home, "uninstall", "claude-code", "--yes")));
    expect(JSON.parse(readFileSync(settings, "utf8"))).toEqual({ model: "m" });
  }
});
