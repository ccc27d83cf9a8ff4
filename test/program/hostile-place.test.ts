/** Agents start the client wherever a person works: in folders that others have made. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientProgram } from "./client-process.ts";

let root = "";
let home = "";
/** Whatever is started that should not be leaves a file here. */
let marks = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tidemark-place-"));
  home = join(root, "home");
  marks = join(root, "marks");
  mkdirSync(marks);
  for (const name of ["git", "ssh", "watchman", "less", "vi"]) writeTrap(join(root, "bin"), name);
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function writeTrap(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\ntouch '${marks}/${name}'\nexit 1\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Runs the client in a folder that a shell goes to first, and may take away under it. */
function run(
  place: { readonly cwd: string; readonly isGone?: boolean },
  args: readonly string[],
  input = "",
) {
  const leave = place.isGone === true ? 'rmdir "$PWD" &&' : "";
  const script = `cd "$1" && shift && ${leave} exec "$@"`;
  const { status, stdout, stderr } = spawnSync(
    "sh",
    ["-c", script, "sh", place.cwd, process.execPath, clientProgram, ...args],
    {
      input,
      encoding: "utf8",
      env: {
        PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
        HOME: root,
        TIDEMARK_HOME: home,
      },
    },
  );
  return { status, stdout, stderr };
}

function payload(cwd: string, id: string): string {
  return JSON.stringify({
    session_id: "5b0c8f0e-2f0a-4a58-9d9c-1f6f0f6f0f6f",
    cwd,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command: "git commit -m 'Change the order'" },
    tool_response: { stdout: `[main 1a2b3c4] Change the order`, stderr: "" },
  });
}

const quiet = { status: 0, stdout: "", stderr: "" };
const hook = ["hook", "claude-code", "PostToolUse"];

test("[HK1] a working folder that is gone costs no capture and no word (abuse 182)", () => {
  const cwd = join(root, "gone");
  mkdirSync(cwd);
  expect(run({ cwd, isGone: true }, hook, payload(cwd, "one"))).toEqual(quiet);
  expect(existsSync(cwd)).toBe(false);
  mkdirSync(cwd);
  expect(run({ cwd, isGone: true }, ["save", "--title", "from nowhere"])).toMatchObject({
    status: 0,
    stderr: "",
  });
  const { stdout } = run({ cwd: root }, ["list", "--all"]);
  expect(stdout).toContain("from nowhere");
  expect(stdout).toContain("Change the order");
});

test("[HK1] neither a folder's name nor its repository's settings run anything (abuse 182)", () => {
  const trap = writeTrap(root, "trap");
  const name = `a\n$(touch ${join(marks, "name")})\`touch ${join(marks, "name")}\`;'"`.replaceAll(
    "/",
    "\u2215",
  );
  const cwd = join(root, `${name}-$(touch name) \`touch name\``);
  mkdirSync(join(cwd, ".git", "hooks"), { recursive: true });
  for (const each of ["post-index-change", "post-checkout", "fsmonitor-watchman"])
    writeTrap(join(cwd, ".git", "hooks"), each);
  writeFileSync(join(cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    join(cwd, ".git", "config"),
    [
      "[core]",
      ...["fsmonitor", "sshCommand", "pager", "editor", "gitProxy"].map(
        (key) => `\t${key} = ${trap}`,
      ),
      `[safe]\n\tdirectory = *\n[credential]\n\thelper = !${trap}`,
      `[remote "origin"]\n\turl = ext::${trap}\n\tuploadpack = ${trap}`,
      `[url "ext::${trap} "]\n\tinsteadOf = https://`,
      `[include]\n\tpath = /dev/zero`,
    ].join("\n"),
  );
  const before = new Set(readdirSync(cwd, { recursive: true, encoding: "utf8" }));
  expect(run({ cwd }, hook, payload(cwd, "two"))).toEqual(quiet);
  expect(run({ cwd }, ["hook", "claude-code", "SessionStart"], payload(cwd, "three")).status).toBe(
    0,
  );
  for (const args of [["status"], ["save", "--title", "kept"], ["list"], ["context"], ["doctor"]])
    expect([args, run({ cwd }, args).status]).toEqual([args, 0]);
  expect(new Set(readdirSync(cwd, { recursive: true, encoding: "utf8" }))).toEqual(before);
  expect(readdirSync(marks)).toEqual([]);
  // The traps are some: what is started by name finds them.
  spawnSync("sh", ["-c", "git status"], {
    env: { PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}` },
  });
  expect(readdirSync(marks)).toEqual(["git"]);
});

test("[OPS52] a repository names no server, namespace, home or setting (abuse 161)", () => {
  const cwd = join(root, "repo");
  const settings = { server: "https://evil.example", namespace: "stolen", capture: false };
  const variables = ["HOME=evil", "NAMESPACE=stolen", "SERVER=https://evil.example", "CAPTURE=off"];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const plain = { status: run({ cwd }, ["status", "--json"]), place: run({ cwd }, ["list"]) };
  for (const name of ["tidemark.json", ".tidemark.json", "config.json", ".tidemark/config.json"])
    write(join(cwd, name), JSON.stringify(settings));
  for (const name of [".env", ".env.local", ".envrc", ".tidemarkrc", ".tidemark/env"])
    write(join(cwd, name), variables.map((each) => `export TIDEMARK_${each}`).join("\n"));
  write(join(cwd, ".claude/settings.json"), JSON.stringify({ env: { TIDEMARK_HOME: "evil" } }));
  write(join(cwd, "package.json"), JSON.stringify({ name: "app", tidemark: settings }));
  expect(run({ cwd }, ["status", "--json"])).toEqual(plain.status);
  expect(run({ cwd }, ["list"])).toEqual(plain.place);
  expect(run({ cwd }, hook, payload(cwd, "four"))).toEqual(quiet);
  expect(run({ cwd }, ["save", "--title", "mine", "--json"]).stdout).toContain('"personal"');
  expect(run({ cwd }, ["list", "--all"]).stdout).toContain("Change the order");
  expect(existsSync(join(cwd, "evil"))).toBe(false);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${text}\n`);
}
