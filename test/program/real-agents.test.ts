/**
 * Tidemark in the agents themselves, each with a model of the test's own in place of its vendor's:
 * what a person gets who runs `tidemark install`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endLeftovers, runAgent, whyNoAgent, type AgentName } from "../agents/agent.ts";
import { startModel, type Model, type Step } from "../agents/model.ts";
import { clientProgram } from "./client-process.ts";

/** How one agent is started, and its words for the same three tools. */
interface Driven {
  readonly name: AgentName;
  /** Its name for `tidemark install`. */
  readonly installed: string;
  readonly env: (model: Model) => Readonly<Record<string, string>>;
  /** Writes what it needs to know before it is installed for. */
  readonly prepare: (home: string, model: Model) => void;
  readonly args: (prompt: string) => readonly string[];
  readonly shell: (command: string) => Step;
  /** Writes a file; undefined where the model is not offered a tool for it. */
  readonly write: ((path: string, content: string) => Step) | undefined;
}

const quiet = { DISABLE_TELEMETRY: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };

const agents: readonly Driven[] = [
  {
    name: "claude-code",
    installed: "claude-code",
    env: ({ url }) => ({ ...quiet, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: url }),
    prepare: (home) => mkdirSync(join(home, ".claude")),
    args: (prompt) => ["-p", prompt, "--allowedTools", "Bash,Write"],
    shell: (command) => ({ tool: "Bash", input: { command, description: "run it" } }),
    write: (path, content) => ({ tool: "Write", input: { file_path: path, content } }),
  },
  {
    name: "codex",
    installed: "codex",
    env: () => ({ MODEL_KEY: "none" }),
    prepare: (home, { url }) => {
      mkdirSync(join(home, ".codex"));
      const provider = `[model_providers.test]\nname = "test"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "MODEL_KEY"\n`;
      const settings = `model = "test"\nmodel_provider = "test"\n${provider}`;
      writeFileSync(join(home, ".codex", "config.toml"), settings);
    },
    args: (prompt) => [
      "exec",
      "--dangerously-bypass-hook-trust",
      "--dangerously-bypass-approvals-and-sandbox",
      prompt,
    ],
    shell: (command) => ({ tool: "exec_command", input: { cmd: command } }),
    write: undefined,
  },
  {
    name: "gemini-cli",
    installed: "gemini",
    env: ({ url }) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url }),
    prepare: (home) => {
      mkdirSync(join(home, ".gemini"));
      const settings = { security: { auth: { selectedType: "gemini-api-key" } } };
      writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    },
    args: (prompt) => ["--yolo", "--skip-trust", "-p", prompt],
    shell: (command) => ({ tool: "run_shell_command", input: { command } }),
    write: (path, content) => ({ tool: "write_file", input: { file_path: path, content } }),
  },
  {
    name: "opencode",
    installed: "opencode",
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    prepare: (home, { url }) => {
      const folder = join(home, ".config", "opencode");
      mkdirSync(folder, { recursive: true });
      const options = { baseURL: `${url}/v1`, apiKey: "none" };
      const test = {
        npm: "@ai-sdk/anthropic",
        name: "test",
        options,
        models: { m: { name: "m" } },
      };
      const settings = { provider: { test }, model: "test/m", small_model: "test/m" };
      writeFileSync(join(folder, "opencode.json"), JSON.stringify(settings));
    },
    args: (prompt) => ["run", prompt],
    shell: (command) => ({ tool: "bash", input: { command, description: "run it" } }),
    write: (path, content) => ({ tool: "write", input: { filePath: path, content } }),
  },
];

let model: Model;
beforeAll(async () => {
  model = await startModel();
});
afterAll(async () => {
  await model.close();
});

let root = "";
let home = "";
let work = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tidemark-agent-"));
  home = join(root, "home");
  work = join(root, "work");
  for (const folder of [home, work]) mkdirSync(folder);
  execFileSync("git", ["init", "-q"], { cwd: work });
});
afterEach(() => {
  endLeftovers(home);
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

function tidemark(...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  return execFileSync(process.execPath, [clientProgram, ...args], {
    cwd: work,
    env,
    encoding: "utf8",
  });
}

async function run(driven: Driven, prompt: string, steps: readonly Step[]): Promise<string> {
  model.play(steps);
  const identity = { GIT_AUTHOR_NAME: "n", GIT_AUTHOR_EMAIL: "n@example.org" };
  const committer = { GIT_COMMITTER_NAME: "n", GIT_COMMITTER_EMAIL: "n@example.org" };
  const env = { ...driven.env(model), ...identity, ...committer, HOME: home };
  const { code, output } = await runAgent(driven.name, driven.args(prompt), { cwd: work, env });
  expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
  return output;
}

describe.each(agents)("$name", (driven) => {
  test.skipIf(whyNoAgent(driven.name) !== undefined)(
    "[IN7, CP1] what one session learned, the next one is given, and the model has the tools",
    async () => {
      driven.prepare(home, model);
      tidemark("install", driven.installed);
      const { shell, write } = driven;
      await run(driven, "Fix the queue so that no jobs are lost", [
        shell("git commit --allow-empty -m 'Rotate the signing keys daily'"),
        ...(write === undefined
          ? []
          : [write(join(work, "queue.ts"), "export function drain(): void {\n  run();\n}\n")]),
        shell("npm test"),
        { text: "The root cause was a missing await in the queue." },
      ]);
      const listed = tidemark("list", "--all");
      expect(listed).toContain("Fix the queue so that no jobs are lost");
      expect(listed).toContain("The root cause was a missing await in the queue");
      expect(listed).toContain("Rotate the signing keys daily");
      expect(listed).toContain("`npm test` failed");
      if (write !== undefined) expect(listed).toContain("queue.ts");

      const before = model.requests.length;
      await run(driven, "What was wrong with the queue?", [{ text: "See above." }]);
      const asked = model.requests.slice(before).join("\n");
      // What a host sends its model is long: only what is missing is worth telling.
      const wanted = ["missing await in the queue", "records from earlier sessions", "timeline"];
      expect(wanted.filter((words) => !asked.includes(words))).toEqual([]);
      expect(/mcp_+tidemark[_"]|"tidemark_/u.test(asked)).toBe(true);
      // What it was given is not taken for something that a person said.
      expect(tidemark("list", "--all")).not.toMatch(/earlier sessions|notes from a database/u);
      expect(tidemark("doctor")).toMatch(/^PASS {2}agents: installed for .*; last hook /mu);
    },
  );
});

test.skipIf(whyNoAgent("opencode") !== undefined)(
  "[IN11] OpenCode's last turn is kept, however slow the hook is as it ends",
  async () => {
    const driven = agents.find(({ name }) => name === "opencode");
    if (driven === undefined) throw new Error("OpenCode is not among the agents");
    driven.prepare(home, model);
    tidemark("install", driven.installed);
    const plugin = join(home, ".config", "opencode", "plugins", "tidemark.js");
    const text = readFileSync(plugin, "utf8");
    const launcher = JSON.parse(/^const launcher = (.*);$/mu.exec(text)?.[1] ?? '""') as string;
    const slow = join(root, "slow");
    writeFileSync(slow, `#!/bin/sh\nsleep 1\nexec ${JSON.stringify(launcher)} "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(plugin, text.replace(JSON.stringify(launcher), JSON.stringify(slow)));
    await run(driven, "Fix the queue so that no jobs are lost", [
      { text: "The root cause was a missing await in the queue." },
    ]);
    expect(tidemark("list", "--all")).toContain("a missing await in the queue");
  },
);

test.skipIf(whyNoAgent("cline") !== undefined)(
  "[IN12, CP1] Cline on the command line: what it does is captured, and the model has the tools",
  async () => {
    mkdirSync(join(home, ".cline"));
    tidemark("install", "cline");
    const provider = [
      "-p",
      "openai-compatible",
      "-k",
      "none",
      "-m",
      "test",
      "-b",
      `${model.url}/v1`,
    ];
    const place = { cwd: work, env: { HOME: home } };
    expect((await runAgent("cline", ["auth", ...provider], place)).code).toBe(0);
    model.play([
      {
        tool: "run_commands",
        input: {
          commands: ["git commit --allow-empty -m 'Rotate the signing keys daily'", "npm test"],
        },
      },
      {
        tool: "editor",
        input: {
          path: join(work, "queue.ts"),
          new_text: "export function drain(): void {\n  run();\n}\n",
        },
      },
      { text: "The root cause was a missing await in the queue." },
    ]);
    const names = { GIT_AUTHOR_NAME: "n", GIT_AUTHOR_EMAIL: "n@example.org" };
    const committer = { GIT_COMMITTER_NAME: "n", GIT_COMMITTER_EMAIL: "n@example.org" };
    const before = model.requests.length;
    const { code, output } = await runAgent("cline", ["-t", "60", "Fix the queue"], {
      cwd: work,
      env: { ...place.env, ...names, ...committer },
    });
    expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
    const listed = tidemark("list", "--all");
    for (const words of [
      "missing await in the queue",
      "Rotate the signing keys daily",
      "`npm test` failed",
      "queue.ts",
    ]) {
      expect(listed).toContain(words);
    }
    expect(model.requests.slice(before).join("\n")).toMatch(/tidemark__search/u);
    expect(tidemark("doctor")).toMatch(/^PASS {2}agents: installed for Cline; last hook /mu);
  },
);

const repository = fileURLToPath(new URL("../..", import.meta.url));
const plugin = join(repository, "apps/client/plugins/claude-code");
const [claude] = agents;

describe.skipIf(claude === undefined || whyNoAgent("claude-code") !== undefined)(
  "the plugin of Claude Code",
  () => {
    test.each([repository, plugin])("[IN9] %s is valid, without a warning", async (folder) => {
      const place = { cwd: work, env: { HOME: home } };
      const { code, output } = await runAgent("claude-code", ["plugin", "validate", folder], place);
      expect(output).toContain("Validation passed");
      expect([code, /warning/iu.test(output)]).toEqual([0, false]);
    });

    test("[IN9] it captures and has the tools, and beside the hooks of install nothing twice", async () => {
      if (claude === undefined) return;
      claude.prepare(home, model);
      const withPlugin: Driven = {
        ...claude,
        args: (prompt) => ["--plugin-dir", plugin, ...claude.args(prompt)],
      };
      const steps = [{ text: "The root cause was a missing await in the queue." }];
      // Where Tidemark is not installed, nothing happens and nobody is told.
      expect(await run(withPlugin, "Fix the queue so that no jobs are lost", steps)).not.toMatch(
        /error|tidemark/iu,
      );
      tidemark("install", "cursor");
      await run(withPlugin, "Fix the queue so that no jobs are lost", steps);
      const place = { cwd: work, env: { ...claude.env(model), HOME: home } };
      const servers = await runAgent("claude-code", ["--plugin-dir", plugin, "mcp", "list"], place);
      expect(servers.output).toMatch(/plugin:tidemark:tidemark: .* Connected/u);
      expect(tidemark("list", "--all").match(/missing await/gu)).toHaveLength(1);
      tidemark("install", "claude-code");
      await run(withPlugin, "Fix the door so that no cats are lost", [
        { text: "We decided to use a flap because cats come at night." },
      ]);
      expect(tidemark("list", "--all").match(/Fix the door/gu)).toHaveLength(1);
    });
  },
);

const extension = join(repository, "apps/client/plugins/gemini");
const gemini = agents.find(({ name }) => name === "gemini-cli");

test.skipIf(gemini === undefined || whyNoAgent("gemini-cli") !== undefined)(
  "[IN13] the extension of Gemini CLI is valid, captures, gives memory, and beside install nothing twice",
  async () => {
    if (gemini === undefined) return;
    gemini.prepare(home, model);
    const place = { cwd: work, env: { ...gemini.env(model), HOME: home } };
    const valid = await runAgent("gemini-cli", ["extensions", "validate", extension], place);
    expect([valid.code, /success/u.test(valid.output)]).toEqual([0, true]);
    const linked = await runAgent(
      "gemini-cli",
      ["extensions", "link", extension, "--consent"],
      place,
    );
    expect([linked.code, linked.code === 0 ? "" : linked.output]).toEqual([0, ""]);
    const steps = [{ text: "The root cause was a missing await in the queue." }];
    // Where Tidemark is not installed, nothing happens and nobody is told.
    await run(gemini, "Fix the queue so that no jobs are lost", steps);
    tidemark("install", "cursor");
    await run(gemini, "Fix the queue so that no jobs are lost", steps);
    expect(tidemark("list", "--all").match(/missing await/gu)).toHaveLength(1);
    const before = model.requests.length;
    await run(gemini, "What was wrong with the queue?", [{ text: "See above." }]);
    const asked = model.requests.slice(before).join("\n");
    expect([asked.includes("missing await in the queue"), /mcp_+tidemark/u.test(asked)]).toEqual([
      true,
      true,
    ]);
    tidemark("install", "gemini");
    await run(gemini, "Fix the door so that no cats are lost", [
      { text: "We decided to use a flap because cats come at night." },
    ]);
    expect(tidemark("list", "--all").match(/Fix the door/gu)).toHaveLength(1);
  },
);

test("[IN13] the extension hears of the same events as what install wires", () => {
  mkdirSync(join(home, ".gemini"));
  tidemark("install", "gemini");
  const eventsIn = (path: string): readonly string[] =>
    Object.keys((JSON.parse(readFileSync(path, "utf8")) as { hooks: object }).hooks);
  expect(eventsIn(join(extension, "hooks/hooks.json"))).toEqual(
    eventsIn(join(home, ".gemini/settings.json")),
  );
});

test("[IN9] the plugin hears of the same events as what install wires", () => {
  mkdirSync(join(home, ".claude"));
  tidemark("install", "claude-code");
  const eventsIn = (path: string): readonly string[] =>
    Object.keys((JSON.parse(readFileSync(path, "utf8")) as { hooks: object }).hooks);
  expect(eventsIn(join(plugin, "hooks/hooks.json"))).toEqual(
    eventsIn(join(home, ".claude/settings.json")),
  );
});
