import { fail, ok } from "@tidemark/protocol";
import type { AgentFile } from "../agent-setup.ts";

/** What the first line of the file says, by which it is known again. */
const mark =
  "// Made by `tidemark install`, and again by each of its runs; taken out by `tidemark uninstall`.";

/** The file is a module of its own in the agent's folder of plugins; it is ours whole, or left alone. */
export function openCodePluginFile(path: string, launcher: string): AgentFile {
  return {
    path,
    part: "plugin",
    install: (text) => {
      if (text !== "" && !text.startsWith(mark)) return fail(foreign);
      return ok(pluginText(launcher));
    },
    uninstall: (text) => ok(text.startsWith(mark) ? "" : text),
  };
}

const foreign = {
  message: "a plugin of somebody else's has this name",
  hint: "rename or remove that file, then run this again",
} as const;

/**
 * The plugin, as OpenCode loads it. It runs inside the agent, so it starts the hook as a program of its
 * own, waits for it no longer than it may, says nothing and lets nothing be thrown. Memory goes into the
 * system prompt of its session alone, where OpenCode takes it; a session that another one has started
 * says nothing that its tools do not say. OpenCode does not wait for who hears of an event, and may end
 * right after its last one: what is still being told is waited for as it disposes of the plugin, which
 * it does since 1.15.13.
 */
function pluginText(launcher: string): string {
  return `${mark}
import { spawn } from "node:child_process";

const launcher = ${JSON.stringify(launcher)};
const waitMs = 5000;
const running = new Set();

function tell(event, payload) {
  const told = start(event, payload);
  running.add(told);
  return told.finally(() => running.delete(told));
}

function start(event, payload) {
  return new Promise((resolve) => {
    let said = "";
    const done = () => resolve(said);
    try {
      const child = spawn(launcher, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] });
      const timer = setTimeout(() => { child.kill(); done(); }, waitMs);
      child.once("error", done);
      child.once("close", () => { clearTimeout(timer); done(); });
      child.stdout.on("data", (chunk) => { said += chunk; });
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify({ opencode: 1, event, ...payload }));
    } catch {
      done();
    }
  });
}

${hooksText}`;
}

/** What it does at each of OpenCode's moments. */
const hooksText = `export const Tidemark = async ({ client, directory }) => {
  const sessions = new Map();
  const session = async (id) => {
    const known = sessions.get(id);
    if (known) return known;
    const made = { isChild: false, memory: [], said: "" };
    sessions.set(id, made);
    try {
      const found = await client.session.get({ path: { id } });
      made.isChild = Boolean(found?.data?.parentID);
    } catch {}
    if (!made.isChild) {
      const memory = await tell("session-start", { sessionID: id, directory });
      if (memory) made.memory.push(memory);
    }
    return made;
  };
  const quiet = (work) => async (...args) => {
    try {
      await work(...args);
    } catch {}
  };
  return {
    "chat.message": quiet(async ({ sessionID, messageID }, { message, parts }) => {
      const of = await session(sessionID);
      if (of.isChild) return;
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic);
      const prompt = texts.map((part) => part.text).join("\\n");
      const id = messageID ?? message?.id;
      const memory = await tell("prompt", { sessionID, directory, messageID: id, prompt });
      if (memory) of.memory.push(memory);
    }),
    "experimental.chat.system.transform": quiet(async ({ sessionID }, { system }) => {
      if (sessionID) system.push(...(sessions.get(sessionID)?.memory ?? []));
    }),
    "tool.execute.after": quiet(async ({ tool, sessionID, callID, args }, { output, metadata }) => {
      await session(sessionID);
      const { exit } = metadata ?? {};
      await tell("tool", { sessionID, directory, tool, callID, args, output, exit });
    }),
    "experimental.text.complete": quiet(async ({ sessionID }, { text }) => {
      const of = sessions.get(sessionID);
      if (of) of.said = text;
    }),
    event: quiet(async ({ event }) => {
      if (event.type !== "session.idle") return;
      const { sessionID } = event.properties;
      const of = sessions.get(sessionID);
      if (!of || of.isChild || of.said === "") return;
      const text = of.said;
      of.said = "";
      await tell("turn-end", { sessionID, directory, text });
    }),
    dispose: quiet(async () => {
      await Promise.all(running);
    }),
  };
};
`;
