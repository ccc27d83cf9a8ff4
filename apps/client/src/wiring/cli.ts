import { join } from "node:path";
import { systemClock } from "../platform/clock.ts";
import { pipedAnswer } from "../platform/piped-answer.ts";
import { askPerson } from "../platform/ask.ts";
import { openBrowser } from "../platform/open-browser.ts";
import {
  exitNow,
  hasPerson,
  outputTerminals,
  programArguments,
  writeErr,
  writeOut,
} from "../platform/program.ts";
import { onStop } from "../platform/stop-signals.ts";
import type { Environment } from "../platform/paths.ts";
import { fileBytes } from "../platform/file-bytes.ts";
import { programScreen } from "../platform/screen.ts";
import { readStdinText } from "../platform/stdin.ts";
import { createFolder, createTextFile, fileLines, stdinLines } from "../platform/text-file.ts";
import { systemTimers } from "../platform/timers.ts";
import type { CliDeps } from "../surfaces/cli/deps.ts";
import type { Io } from "../surfaces/cli/io.ts";
import { interrupted } from "../surfaces/cli/trouble.ts";
import { troubleText, wantsJson } from "../surfaces/cli/trouble-text.ts";
import { abortAfter } from "./abort-after.ts";
import { openDeviceHome, type Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import { openTold } from "./told-memory.ts";
import { UserError } from "./user-error.ts";

/** Largest text that a person pipes in, in bytes. */
const stdinBytesMax = 256 * 1024 * 1024;

/** How long a pipe is waited for that may hold an answer, in milliseconds. */
const pipeMsMax = 2_000;

/** Time for requests in flight after a signal to stop, in milliseconds. */
const graceMs = 2_000;

/** What the command line is built from; each part is made when a verb asks for it. */
export function wireCli(
  env: Environment,
  about: Pick<CliDeps, "version" | "verbs" | "programs">,
): CliDeps & { close(): void } {
  let home: Home | undefined;
  let memory: Memory | undefined;
  const openHome = (): Home => (home ??= openDeviceHome(env));
  const io = wireIo(env);
  const openStore = (): Memory => (memory ??= openTold(openHome(), io));
  const server: CliDeps["server"] = async (use) =>
    await (await import("./server.ts")).connectServer(openHome(), use);
  const stop = new AbortController();
  let isClosed = false;
  onStop(() => {
    stop.abort();
    // What does not listen to the signal, such as waiting for input, ends all the same.
    systemTimers.every(graceMs, () => {
      if (!isClosed) writeErr(troubleText(cutOff, wantsJson(programArguments())));
      exitNow(130);
    });
  });
  return {
    ...about,
    io,
    files: { lines: fileLines, bytes: fileBytes, create: createTextFile, createFolder },
    clock: systemClock,
    home: openHome,
    memory: openStore,
    server,
    sync: async (use) => {
      const { createSyncRunner } = await import("./sync-runner.ts");
      return createSyncRunner(openHome(), openStore(), await server(use));
    },
    pairing: async () => (await import("./pairing.ts")).createPairing(openHome(), openStore()),
    // An agent's shell says so: what a model has typed is not what a person has typed.
    origin: env["CLAUDECODE"] === "1" ? "agent" : "user",
    signal: stop.signal,
    after: abortAfter,
    screen: () => programScreen(env),
    sleep: async (ms, signal) => {
      await systemTimers.sleep(ms, signal);
    },
    openBrowser: (url) => openBrowser(url, join(openHome().paths.stateHome, "console.html"), env),
    installer: async () => (await import("./installer.ts")).createInstaller(env, openHome()),
    diagnose: async (options) => await (await import("./diagnose.ts")).diagnose(env, io, options),
    close: () => {
      isClosed = true;
      memory?.store.close();
    },
  };
}

/** Said of a command that did not end by itself in time. */
const cutOff = interrupted(
  "stopped before it was done",
  "what was stored before is kept; `tidemark status` says what waits",
);

function wireIo(env: Environment): Io {
  const { out, err } = outputTerminals(env);
  return {
    out: writeOut,
    err: writeErr,
    isOutTty: out.isTty,
    isErrTty: err.isTty,
    hasColour: out.hasColour,
    width: out.width > 0 ? out.width : 80,
    hasPerson: hasPerson() && err.isTty,
    ask: askPerson,
    pipedAnswer: async () => await pipedAnswer(pipeMsMax),
    stdinText: async () => {
      const text = await readStdinText(stdinBytesMax);
      if (text.kind === "text") return text.text;
      const message = `standard input is larger than ${stdinBytesMax} bytes`;
      throw new UserError({ code: "too-large", message, hint: "split it" });
    },
    stdinLines,
  };
}
