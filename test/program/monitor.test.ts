import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";

const devices = createDevices();
const device = devices.device("monitor");
const transcript = join(device.folder, "transcript.jsonl");
/** Gives a program a terminal of its own. */
const scriptProgram = "/usr/bin/script";
const hasNoTerminal = process.platform !== "linux" || !existsSync(scriptProgram);
const running: ChildProcessWithoutNullStreams[] = [];

afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  devices.clear();
});

test("[TM5] it tells sessions, captures, tokens of the transcript and the outbox, as JSON", async () => {
  await device.json("save", "--title", "The queue drops nothing", "--kind", "decision");
  say(1_000, 200);
  await start("Mend the queue");
  const view = await device.json("monitor");
  expect(view).toMatchObject({
    sessions: [{ agent: "claude-code", given: 1, events: 2, use: { tokens: 1_200 }, captured: 1 }],
    captured: [
      { title: "Mend the queue", kind: "request" },
      { title: "The queue drops nothing", kind: "decision" },
    ],
    isPaired: false,
    failure: null,
  });
  const { namespaces } = view as { namespaces: readonly { outbox: number }[] };
  expect(namespaces[0]?.outbox).toBeGreaterThan(0);
});

test("[TM5] without a terminal it prints a line for what has changed, and nothing else", async () => {
  const child = monitor(device);
  const output = outputOf(child);
  await vi.waitUntil(() => output().includes("captured decision: The queue drops nothing"), wait);
  const before = output();
  await device.json("save", "--title", "Seen while it runs");
  await vi.waitUntil(() => output().includes("Seen while it runs"), wait);
  say(5_000, 1);
  await vi.waitUntil(() => output().includes("5,001 tokens in use"), wait);
  // oxlint-disable-next-line no-control-regex -- just such characters may not be there
  expect(output()).not.toMatch(/[\u0000-\u0009\u000B-\u001F]/u);
  const news = output().slice(before.length);
  expect(news).not.toContain("The queue drops nothing");
  for (const line of output().trim().split("\n")) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+Z \w/u);
  const ended = endOf(child);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
});

test("[TM5] it ends when whoever reads it has left", async () => {
  const child = monitor(device);
  const output = outputOf(child);
  await vi.waitUntil(() => output() !== "", wait);
  const ended = endOf(child);
  child.stdout.destroy();
  await device.json("save", "--title", "Nobody reads this");
  expect(await ended).toBe(0);
});

for (const [name, key] of [
  ["q", "q"],
  ["Ctrl-C", "\u0003"],
] as const) {
  test.skipIf(hasNoTerminal)(
    `[TM5] in a terminal it draws, ends by ${name} and leaves the terminal as it was`,
    async () => {
      const child = inTerminal(device);
      const output = outputOf(child);
      await vi.waitUntil(() => output().includes("q ends"), wait);
      expect(output()).toContain("\u001B[?1049h");
      await device.json("save", "--title", `Drawn until ${name}`);
      await vi.waitUntil(() => output().includes(`Drawn until ${name}`), wait);
      const ended = endOf(child);
      child.stdin.write(key);
      expect(await ended).toBe(0);
      expect(output()).toContain("\u001B[?25h\u001B[?1049lcode 0, same");
      expect(output()).toContain("\u001B[1m");
    },
  );
}

test.skipIf(hasNoTerminal)(
  "[TM5] SIGTERM gives the terminal back, and NO_COLOR is heeded",
  async () => {
    const child = inTerminal(device, { NO_COLOR: "1" }, "(sleep 4; kill -TERM $(cat pid)) &");
    const output = outputOf(child);
    expect(await endOf(child)).toBe(0);
    expect(output()).toContain("\u001B[?25h\u001B[?1049lcode 0, same");
    expect(output()).toContain("Sessions of the last day");
    // oxlint-disable-next-line no-control-regex -- a colour begins so
    expect(output()).not.toMatch(/\u001B\[\d+m/u);
  },
);

test.skipIf(hasNoTerminal)("[TM5] a dumb terminal gets lines", async () => {
  const child = inTerminal(device, { TERM: "dumb" });
  const output = outputOf(child);
  await vi.waitUntil(() => output().includes("captured"), wait);
  child.stdin.write("\u0003");
  await endOf(child);
  expect(output()).not.toContain("\u001B[?1049h");
});

const wait = { timeout: 15_000 };

/** What the transcript says last. */
function say(input: number, output: number): void {
  const usage = { input_tokens: input, output_tokens: output };
  const line = {
    type: "assistant",
    sessionId: "s-1",
    message: { id: "m", role: "assistant", usage },
  };
  writeFileSync(transcript, `${JSON.stringify(line)}\n{"type":"assis`);
}

async function start(prompt: string): Promise<void> {
  const base = { session_id: "s-1", cwd: device.folder, transcript_path: transcript };
  for (const [event, more] of [
    ["SessionStart", { source: "startup" }],
    ["UserPromptSubmit", { prompt }],
  ] as const) {
    const payload = { ...base, hook_event_name: event, ...more };
    await device.run(["hook", "claude-code", event], JSON.stringify(payload));
  }
}

function environmentOf(home: string): NodeJS.ProcessEnv {
  const { PATH = "" } = process.env;
  return { PATH, HOME: "/nonexistent", TIDEMARK_HOME: home, TIDEMARK_KEYCHAIN: "off" };
}

function monitor({ home, folder }: TestDevice): ChildProcessWithoutNullStreams {
  const env = environmentOf(home);
  const child = spawn(process.execPath, [clientProgram, "monitor"], { cwd: folder, env });
  running.push(child);
  return child;
}

/** A shell in a terminal runs it, and tells how it ended and whether the terminal is as it was. */
function inTerminal(
  { home, folder }: TestDevice,
  env: Readonly<Record<string, string>> = {},
  first = "",
): ChildProcessWithoutNullStreams {
  const shell = `stty rows 30 cols 100; before=$(stty -g); ${first} sh -c 'echo $$ > pid; exec "${process.execPath}" "${clientProgram}" monitor'; code=$?; [ "$before" = "$(stty -g)" ] && echo "code $code, same"`;
  const child = spawn(scriptProgram, ["-qefc", shell, "/dev/null"], {
    cwd: folder,
    env: { ...environmentOf(home), TERM: "xterm", SHELL: "/bin/sh", ...env },
  });
  running.push(child);
  return child;
}

function outputOf(child: ChildProcessWithoutNullStreams): () => string {
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return await new Promise((resolve) => {
    child.once("close", resolve);
  });
}
