import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkFindings, checkScrub } from "../../../../wiring/diagnose-scrub.ts";
import { openDeviceHome, type Home } from "../../../../wiring/home.ts";
import type { CliDeps } from "../../deps.ts";
import { runCli } from "../../run-cli.ts";

const github = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const mail = ["ada.lovelace", "posteo.de"].join("@");

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "scrub-cli-")));
  mkdirSync(join(root, "repo"));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text, { mode: 0o600 });
}

function home(): Home {
  return openDeviceHome({ TIDEMARK_HOME: join(root, "home"), HOME: root }, join(root, "repo"));
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface World {
  readonly stdin?: string;
  readonly origin?: "user" | "agent";
  /** What a person at the terminal answers; nobody is there if absent. */
  readonly answer?: string;
  /** What each look at the clock gives. */
  readonly isErrTty?: boolean;
}

const asked: string[] = [];

async function run(argv: readonly string[], world: World = {}): Promise<Ended> {
  let out = "";
  let err = "";
  let nowMs = 0;
  const deps = {
    io: {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      isOutTty: false,
      isErrTty: world.isErrTty ?? false,
      width: 80,
      hasPerson: world.answer !== undefined,
      ask: async (question: string) => {
        asked.push(question);
        return await Promise.resolve(world.answer);
      },
      stdinText: async () => await Promise.resolve(world.stdin ?? ""),
      async *stdinLines() {
        for (const line of (world.stdin ?? "").split("\n")) yield await Promise.resolve(line);
      },
    },
    clock: { nowMs: () => (nowMs += 400) },
    version: "0.0.0",
    origin: world.origin ?? "user",
    home,
  };
  const code = await runCli(deps as unknown as CliDeps, ["scrub", ...argv]);
  return { code, out, err };
}

test("[CL43] --explain lists what was found on stderr, beside the text", async () => {
  const { code, out, err } = await run(["--explain"], { stdin: `a\nexport GH=${github}\n` });
  expect(code).toBe(0);
  expect(out).toMatch(/^a\nexport GH=__SECRET_github_pat_\w{12}__\n$/);
  expect(err).toMatch(
    /^2:11 {2}github_pat {2}github_pat:ghp_ {2}plain {2}\w+ {2}\w+ {2}[a-z2-7]{12}\n$/,
  );
  expect(err).not.toContain(github.slice(4));
});

test("[CL43] --findings-only lists it on stdout, and JSON has lines and columns", async () => {
  const list = await run(["--findings-only"], { stdin: `GH=${github}` });
  expect(list.out).toMatch(/^1:4 {2}github_pat /);
  expect(list.err).toBe("");
  const json = await run(["--findings-only", "--json"], { stdin: `GH=${github}` });
  expect(JSON.parse(json.out)).toMatchObject({
    findings: [{ line: 1, column: 4, endColumn: 44, kind: "github_pat", rule: "github_pat:ghp_" }],
  });
});

test("[CL43] of personal data not even the length is told", async () => {
  write("home/config.json", JSON.stringify({ scrub: { personalData: ["email"] } }));
  const { out } = await run(["--findings-only", "--json"], { stdin: `by ${mail}` });
  const { findings } = JSON.parse(out) as { findings: readonly object[] };
  expect(findings).toMatchObject([{ kind: "email", line: 1, column: 4 }]);
  expect(Object.keys(findings[0] ?? {})).not.toContain("endColumn");
});

test("[CL70] lines that could not be read are counted in words", async () => {
  const [one, two] = [
    await run(["--jsonl"], { stdin: "x" }),
    await run(["--jsonl"], { stdin: "x\ny" }),
  ];
  expect(one.err).toContain("1 of 1 line could not be read");
  expect(two.err).toContain("2 of 2 lines could not be read");
});

test("[CL44] --check is clean with 0, and tells what it found with 1", async () => {
  write("repo/src/a.ts", "const total = 1;\n");
  const clean = await run(["--check", "src"]);
  expect(clean).toEqual({ code: 0, out: "1 file: clean\n", err: "" });
  write("repo/src/b.env", `A=1\nGH=${github}\n`);
  const { code, out, err } = await run(["--check", "src"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^src\/b\.env:2:4 {2}github_pat .* [a-z2-7]{12}\n$/);
  expect(err).toMatch(/^error: 1 finding in 1 of 2 files\nhint: take them out/);
  expect(out + err).not.toContain(github.slice(4));
});

test("[CL44] --check takes paths with blanks, and no path is this folder", async () => {
  write("repo/my notes/b.env", `GH=${github}\n`);
  expect((await run(["--check", "my notes/b.env"])).code).toBe(1);
  expect((await run(["--check"])).out).toMatch(/^my notes\/b\.env:1:4 /);
});

test("[CL44] wrong usage exits with 2", async () => {
  for (const argv of [
    ["--check", "nowhere"],
    ["--check", "--format", "xml"],
    ["--check", "--explain"],
    ["src"],
    ["--format", "sarif"],
  ]) {
    const { code, err } = await run(argv);
    expect({ argv, code }).toEqual({ argv, code: 2 });
    expect(err).toMatch(/^error: .+\nhint: .+\n$/);
  }
});

test("[CL44] --check passes over what is no text, node_modules, .git and what git ignores", async () => {
  const secret = `GH=${github}\n`;
  write("repo/image.png", Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(secret)]));
  write("repo/node_modules/x/.env", secret);
  write("repo/plain/.git/config", secret);
  write("repo/plain/ok.txt", "fine\n");
  expect((await run(["--check"])).out).toBe("2 files, 1 of them no text: clean\n");
  spawnSync("git", ["init", "-q"], { cwd: join(root, "repo") });
  write("repo/.gitignore", ".env\n");
  write("repo/.env", secret);
  write("repo/sub/.env", secret);
  expect((await run(["--check"])).code).toBe(0);
  expect((await run(["--check", ".env"])).code).toBe(1);
});

test("[CL44] a large file is read in pieces, and its places are right", async () => {
  const lines = "2026-01-01 INFO all is well and nothing is wrong\n".repeat(30_000);
  write("repo/big.log", `${lines}GH=${github}\n${lines}`);
  expect((await run(["--check"])).out).toMatch(/^big\.log:30001:4 {2}github_pat /);
});

test("[CL44] progress is for a terminal, and goes away", async () => {
  for (const name of ["a", "b", "c", "d"]) write(`repo/${name}.txt`, "fine\n");
  const shown = await run(["--check"], { isErrTty: true });
  const clear = "\r\u001B[K";
  expect(shown.err.startsWith(clear)).toBe(true);
  expect(shown.err.slice(clear.length)).toMatch(/^[█░]{20} \d+ % 3 files, 0 findings/u);
  expect(shown.err.endsWith(clear)).toBe(true);
  expect((await run(["--check"])).err).toBe("");
});

test("[CL45] SARIF has what 2.1.0 requires, and a rule for each result", async () => {
  write("repo/a b.env", `GH=${github}\n`);
  write("home/config.json", JSON.stringify({ scrub: { personalData: ["email"] } }));
  write("repo/mail.txt", `by ${mail}\n`);
  const { code, out } = await run(["--check", "--format", "sarif"]);
  expect(code).toBe(1);
  const log = JSON.parse(out) as SarifLog;
  expect(log.version).toBe("2.1.0");
  expect(log.$schema).toContain("sarif-2.1.0");
  const [only] = log.runs;
  expect(only?.tool.driver.name).toBe("tidemark scrub");
  for (const result of only?.results ?? []) {
    expect(only?.tool.driver.rules[result.ruleIndex]?.id).toBe(result.ruleId);
    expect(result.message.text).not.toBe("");
    expect(["error", "warning", "note"]).toContain(result.level);
  }
  const regions = (only?.results ?? []).map(({ ruleId, locations }) => [
    ruleId,
    locations[0]?.physicalLocation,
  ]);
  expect(Object.fromEntries(regions)).toEqual({
    github_pat: {
      artifactLocation: { uri: "a%20b.env" },
      region: { startLine: 1, startColumn: 4, endLine: 1, endColumn: 44 },
    },
    email: { artifactLocation: { uri: "mail.txt" }, region: { startLine: 1, startColumn: 4 } },
  });
  expect(out).not.toContain(github.slice(4));
});

interface SarifLog {
  readonly $schema: string;
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { name: string; rules: readonly { id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations: readonly { readonly physicalLocation: unknown }[];
    }[];
  }[];
}

const projectFile = `
literals = ["acme-internal"]
[allow]
kinds = ["github_pat"]
paths = ["fixtures/**"]
`;

test("[SC56, CL46] a project's file adds at once, and waits for a person's consent with the rest", async () => {
  write("repo/.tidemark/scrub.toml", projectFile);
  const stdin = `on acme-internal with ${github} there`;
  const scrubbed = /^on __SECRET_literal_\w{12}__ with __SECRET_github_pat_\w{12}__ there$/;
  expect((await run([], { stdin })).out).toMatch(scrubbed);
  expect(checkScrub(home())).toMatchObject({
    status: "WARN",
    message: expect.stringMatching(/waits for your consent: it allows the kinds github_pat and/),
    fix: expect.stringContaining("tidemark scrub --trust"),
  });

  for (const world of [{ origin: "agent", answer: "y" }, {}, { answer: "" }] as const) {
    expect((await run(["--trust"], world)).code).toBe(1);
    expect((await run([], { stdin })).out).toMatch(scrubbed);
  }

  const trusted = await run(["--trust"], { answer: "y" });
  expect(asked.at(-1)).toMatch(/allows the kinds github_pat and[^]*\[y\/N\] $/);
  expect(trusted.out).toMatch(
    /^trusted until it changes: .*scrub\.toml\nit allows the kinds github_pat and/,
  );
  expect((await run([], { stdin })).out).toContain(github);
  expect(checkScrub(home())).toMatchObject({ status: "PASS" });

  write("repo/.tidemark/scrub.toml", `${projectFile}# changed\n`);
  expect((await run([], { stdin })).out).toMatch(scrubbed);
  await run(["--trust"], { answer: "y" });
  expect((await run(["--untrust"])).out).toMatch(/^no longer trusted: /);
  expect((await run([], { stdin })).out).toMatch(scrubbed);
});

test("[CL44] the file that names the literals is clean of them, and other files are not", async () => {
  write("repo/.tidemark/scrub.toml", 'literals = ["acme-internal"]\n');
  expect((await run(["--check"])).code).toBe(0);
  write("repo/a.txt", "on acme-internal\n");
  expect((await run(["--check"])).out).toMatch(/^a\.txt:1:4 {2}literal /);
});

test("[CL4, SC56] what a project's file says cannot command a terminal (abuse 173)", async () => {
  write("repo/.tidemark/scrub.toml", String.raw`allow.paths = ["a\u001b[31mb"]`);
  const { out } = await run(["--trust"], { answer: "y" });
  expect(out).toContain("allows all in a[31mb");
});

test("[SC56] an allowed path is relative to the project's file, and --path names one", async () => {
  write("repo/.tidemark/scrub.toml", '[allow]\npaths = ["fixtures/**"]\n');
  write("repo/fixtures/a.env", `GH=${github}\n`);
  expect((await run(["--check"])).code).toBe(1);
  await run(["--trust"], { answer: "y" });
  expect((await run(["--check"])).code).toBe(0);
  expect((await run(["--path", "fixtures/a.env"], { stdin: github })).out).toBe(github);
});

test("[SC16, SC56] a tag that --check printed leaves that very value, with no consent asked", async () => {
  write("repo/a.env", `GH=${github}\n`);
  const tag = /([a-z2-7]{12})\n$/.exec((await run(["--check", "a.env"])).out)?.[1] ?? "";
  write("repo/.tidemark/scrub.toml", `[allow]\ntags = ["${tag}"]\n`);
  expect((await run(["--check", "a.env"])).code).toBe(0);
  write("repo/a.env", `GH=${github.replace("a1B2", "b2C3")}\n`);
  expect((await run(["--check", "a.env"])).code).toBe(1);
});

test("[SC55, CL46] a broken file is refused with its place, and changes nothing", async () => {
  write("repo/.tidemark/scrub.toml", 'literals = ["one\n');
  for (const argv of [[], ["--check"], ["--explain"], ["--trust"]]) {
    const { code, out, err } = await run(argv, { stdin: github, answer: "y" });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^error: .*scrub\.toml: line 1, column \d+: .+\nhint: mend it/);
  }
  expect(checkScrub(home())).toMatchObject({ status: "FAIL" });
  write("repo/.tidemark/scrub.toml", "");
  write("home/config.json", JSON.stringify({ scrub: { literals: ["x"] } }));
  expect((await run([], { stdin: "" })).err).toMatch(
    /config\.json: scrub: literals\[0\]: a literal has/,
  );
});

test("[SC57, CL46] what the memory takes out is counted by kind, and doctor says so", () => {
  expect(checkFindings(home()).message).toBe("nothing was taken out yet");
  const { scrub } = home();
  scrub.payload({ tool_response: `GH=${github}`, again: [github] });
  scrub.text(`GH=${github}`);
  scrub.value({ title: "nothing here" });
  expect(checkFindings(home())).toEqual({
    name: "findings",
    status: "PASS",
    message: "3 taken out (github_pat 3)",
    fix: "",
  });
});

test("[CL46] doctor says where there are no settings, and names the user's own", () => {
  expect(checkScrub(home()).message).toBe("the catalogue alone");
  write("home/config.json", JSON.stringify({ scrub: {} }));
  expect(checkScrub(home()).message).toMatch(/^the catalogue and .*config\.json$/);
});
