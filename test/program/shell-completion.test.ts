import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rows } from "../../apps/client/src/surfaces/cli/table.ts";
import { createDevices } from "./client-process.ts";

const devices = createDevices();
const folder = mkdtempSync(join(tmpdir(), "tidemark-completion-"));
const page = join(folder, "tidemark.1");

beforeAll(async () => {
  const device = devices.device("completion");
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout } = await device.run(["completion", shell]);
    writeFileSync(script(shell), stdout);
  }
  writeFileSync(page, (await device.run(["man"])).stdout);
});

afterAll(() => {
  devices.clear();
  rmSync(folder, { recursive: true, force: true });
});

const asked = [
  ["tidemark sav", "save"],
  ["tidemark namespace inv", "invite"],
  ["tidemark handoff li", "list"],
  ["tidemark export --outp", "--output"],
  ["tidemark save --title words --narr", "--narrative"],
  ["tidemark handoff --task words --nex", "--next"],
] as const;

test.skipIf(isMissing("bash")).each(asked)("[TM1] bash completes `%s` to %s", (line, word) => {
  expect(askBash(line)).toEqual([word]);
});

test.skipIf(isMissing("bash"))("[TM1] bash offers every first word of the table", () => {
  const firsts = new Set(rows.map(({ path }) => path.split(" ")[0]));
  expect(new Set(askBash("tidemark "))).toEqual(new Set([...firsts, "--json", "-h", "--help"]));
});

test.skipIf(isMissing("bash"))("[TM1] a value that is a path is completed as one", () => {
  writeFileSync(join(folder, "only one.jsonl"), "");
  expect(askBash("tidemark import only", folder)).toEqual(["only one.jsonl"]);
});

test.skipIf(isMissing("fish")).each(asked)("[TM1] fish completes `%s` to %s", (line, word) => {
  const code = `source ${script("fish")}; complete -C ${JSON.stringify(line)}`;
  expect(linesOf(run("fish", ["--no-config", "-c", code])).map(firstColumn)).toEqual([word]);
});

test.skipIf(isMissing("zsh")).each(asked)("[TM1] zsh completes `%s` to %s", (line, word) => {
  // A terminal of its own: the tab key is pressed, and what would run is printed in its place.
  const code = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'PS1=""; unsetopt zle_bracketed_paste prompt_cr prompt_sp; autoload -U compinit'
    zpty -w shell 'compinit -u -D; source ${script("zsh")}'
    zpty -w shell 'tidemark() { print -r -- "RAN:$*:" }; print READY-$((40 + 2))'
    zpty -r shell text '*READY-42*'
    zpty -w -n shell "$1"$'\\t\\n'
    zpty -r shell text '*RAN:*:*'
    print -r -- "$text"
    zpty -d shell`;
  const printed = run("zsh", ["-f", "-c", code, "zsh", line]);
  const ran = /RAN:(?<words>[^\r\n]*):/u.exec(printed)?.groups?.["words"] ?? printed;
  expect(ran.trim().split(" ").at(-1)).toBe(word);
});

test("[TM2] the manual page holds every verb", () => {
  const text = run("cat", [page]);
  const verbs = rows.map(({ path }) => `.B tidemark ${path}`.replaceAll("-", String.raw`\-`));
  expect(verbs.filter((verb) => !text.includes(verb))).toEqual([]);
});

test.skipIf(isMissing("groff"))("[TM2] a typesetter takes the page without a warning", () => {
  const { stderr, status } = spawnSync("groff", ["-man", "-Kutf8", "-ww", "-Tutf8", "-z", page], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});

function askBash(line: string, cwd = folder): readonly string[] {
  const code = `source ${script("bash")}
    compopt() { :; }
    COMP_WORDS=($1); case $1 in *' ') COMP_WORDS+=("") ;; esac
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _tidemark
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return linesOf(run("bash", ["--norc", "-c", code, "bash", line], cwd));
}

function run(program: string, words: readonly string[], cwd = folder): string {
  const { PATH = "" } = process.env;
  const ended = spawnSync(program, words, {
    cwd,
    env: { PATH, HOME: folder, TERM: "dumb", LC_ALL: "C.UTF-8" },
    encoding: "utf8",
    timeout: 20_000,
  });
  return `${ended.stdout}${ended.stderr}`;
}

function script(shell: string): string {
  return join(folder, `completion.${shell}`);
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

function firstColumn(line: string): string {
  return line.split("\t")[0] ?? "";
}

function isMissing(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0;
}
