import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hookScript } from "./hook-script.ts";
import { openCodePluginFile } from "./hosts/opencode-plugin.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-own-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const command = "'/h o/bin/tidemark' hook cline PostToolUse";

test("[IN12] a script is written, written again, and taken out", () => {
  const file = hookScript("/h/.cline/hooks/PostToolUse", command);
  const made = file.install("");
  if (!made.ok) throw new Error(made.error.message);
  expect(made.value).toContain(`exec ${command}\n`);
  expect(file.install(made.value)).toEqual(made);
  expect(file.install(made.value.replace("/h o/", "/old/"))).toEqual(made);
  expect(file.uninstall(made.value)).toEqual({ ok: true, value: "" });
});

test("[IN12] a script of somebody else's stays, and so does one that starts ours beside its own", () => {
  const file = hookScript("/h/.cline/hooks/PostToolUse", command);
  const own = "#!/bin/sh\necho mine\n";
  expect(file.install(own)).toMatchObject({
    ok: false,
    error: { hint: expect.stringContaining(command) as string },
  });
  expect(file.uninstall(own)).toEqual({ ok: true, value: own });
  const both = `${own}${command}\n`;
  expect(file.install(both)).toEqual({ ok: true, value: both });
  expect(file.uninstall(both)).toEqual({ ok: true, value: both });
});

test("[IN11] a plugin of somebody else's stays", () => {
  const file = openCodePluginFile("/p/tidemark.js", "/bin/tidemark");
  expect(file.install("export const Mine = 1;\n")).toMatchObject({ ok: false });
  expect(file.uninstall("export const Mine = 1;\n")).toEqual({
    ok: true,
    value: "export const Mine = 1;\n",
  });
});

type Hook = (...args: readonly unknown[]) => Promise<unknown>;

interface Module {
  readonly Tidemark: (input: unknown) => Promise<Readonly<Record<string, Hook>>>;
}

test.each([
  ["is not there", "/nonexistent/tidemark"],
  ["fails", "/bin/false"],
  ["is a folder", "/"],
])("[IN11] a plugin whose hook %s lets nothing be thrown", async (_, launcher) => {
  const path = join(folder, `plugin-${launcher.replaceAll("/", "-")}.mjs`);
  const made = openCodePluginFile(path, launcher).install("");
  writeFileSync(path, made.ok ? made.value : "");
  const { Tidemark } = (await import(pathToFileURL(path).href)) as Module;
  const hooks = await Tidemark({ client: undefined, directory: "/app" });
  expect(Object.keys(hooks).length).toBeGreaterThan(4);
  const system: string[] = [];
  const inputs = [
    undefined,
    null,
    {},
    { sessionID: "s" },
    { sessionID: "s", tool: "bash", args: {} },
    { event: {} },
  ];
  const outputs = [
    undefined,
    {},
    { parts: [{ type: "text", text: "hi" }], message: {} },
    { output: "x" },
    { system },
  ];
  for (const hook of Object.values(hooks)) {
    for (const input of inputs) {
      for (const output of outputs) await hook(input, output);
    }
  }
  expect(system).toEqual([]);
});

test("[IN11] a plugin is disposed of once what it still tells has been told", async () => {
  const heard = join(folder, "heard");
  const launcher = join(folder, "slow-hook");
  writeFileSync(launcher, `#!/bin/sh\nsleep 0.3\ncat > ${heard}\n`, { mode: 0o755 });
  const path = join(folder, "plugin-slow.mjs");
  const made = openCodePluginFile(path, launcher).install("");
  writeFileSync(path, made.ok ? made.value : "");
  const { Tidemark } = (await import(pathToFileURL(path).href)) as Module;
  const hooks = await Tidemark({ client: undefined, directory: "/app" });
  await hooks["chat.message"]?.({ sessionID: "s" }, { parts: [], message: {} });
  await hooks["experimental.text.complete"]?.({ sessionID: "s" }, { text: "It was the clock." });
  void hooks["event"]?.({ event: { type: "session.idle", properties: { sessionID: "s" } } });
  await hooks["dispose"]?.();
  expect(JSON.parse(readFileSync(heard, "utf8"))).toMatchObject({
    event: "turn-end",
    text: "It was the clock.",
  });
});
