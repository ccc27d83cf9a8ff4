// Serves on this machine: the sync server on its own PostgreSQL, and this machine's own client
// paired with it. Ctrl-C stops all of it; what was stored stays.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const clientProgram = fileURLToPath(new URL("../apps/client/dist/main.js", import.meta.url));
const serverProgram = fileURLToPath(new URL("../apps/server/dist/main.js", import.meta.url));
const listenLine = /^Tidemark listens on (\S+)(?: and is known to devices as (.+))?\n/m;
const stopMsMax = 12_000;
/** Size at which the server's log is put aside, as `….1`. */
const logBytesMax = 1_048_576;
/** What is said of the person and the device, not of the server. */
const pairFlags = ["--name", "--user"];

process.exitCode = await main(process.argv.slice(2));

async function main(args) {
  const logFile = join(dataDirOf(args), "server.log");
  const server = startServer(withoutFlags(args, pairFlags), logFile);
  const place = await server.listening;
  if (place === undefined) return await server.ended;
  const paired = pairing() ?? pairThisMachine(args);
  for (const line of nextSteps(place, paired, logFile)) process.stdout.write(`${line}\n`);
  return await server.ended;
}

/** Starts the server; its own words about a port that is taken or a folder in use are passed on. */
function startServer(args, logFile) {
  const child = spawn(process.execPath, [serverProgram, "serve", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TIDEMARK_LOG_LEVEL: process.env.TIDEMARK_LOG_LEVEL ?? "warn" },
    // Ctrl-C is passed on by this program alone, or the server would be told twice.
    detached: true,
  });
  keepLog(child.stderr, logFile);
  const ended = new Promise((resolve) => {
    child.once("close", (code) => resolve(code ?? 1));
    child.once("error", () => resolve(1));
  });
  const listening = new Promise((resolve) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const [, url, known] = listenLine.exec(said) ?? [];
      if (url !== undefined) resolve({ url, known });
    });
    void ended.then(() => resolve(undefined));
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(child));
  return { listening, ended };
}

function stop(child) {
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), stopMsMax).unref();
}

/** Puts the server's log into a file, and passes on what it says in words. */
function keepLog(stream, logFile) {
  createInterface({ input: stream }).on("line", (line) => {
    const entry = entryOf(line);
    if (entry === undefined || !appendLine(logFile, line)) {
      process.stderr.write(`${line}\n`);
    } else if (entry.level === "error") {
      process.stderr.write(`error: ${entry.event}; see ${logFile}\n`);
    }
  });
}

/** Whether the line could be written down. */
function appendLine(logFile, line) {
  try {
    mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
    const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    if (size > logBytesMax) renameSync(logFile, `${logFile}.1`);
    appendFileSync(logFile, `${line}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** A line of the log, or undefined for words. */
function entryOf(line) {
  try {
    const entry = JSON.parse(line);
    return typeof entry?.event === "string" ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Where the server keeps its data, as it decides itself. */
function dataDirOf(args) {
  const [, given = process.env.TIDEMARK_DATA_DIR] = flagsIn(args, ["--data-dir"]).at(-1) ?? [];
  if (given) return given;
  const dataHome = process.env.XDG_DATA_HOME ?? "";
  const base = isAbsolute(dataHome) ? dataHome : join(homedir(), ".local/share");
  return join(base, "tidemark-server");
}

/** Whom this machine is paired with, and as whom. */
function pairing() {
  const { status, stdout } = runProgram(clientProgram, ["status", "--json"]);
  const told = status === 0 ? JSON.parse(stdout) : {};
  if (!told.server) return undefined;
  return { server: told.server, user: told.user.name, device: told.device.name };
}

/** Pairs this machine by the real setup link; a server that has an owner gives none. */
function pairThisMachine(args) {
  const place = flagsIn(args, ["--data-dir", "--database-url", "--public-url"]).flat();
  const made = runProgram(serverProgram, ["setup-link", ...place, "--json"]);
  if (made.status !== 0) return undefined;
  const { link } = JSON.parse(made.stdout);
  const device = hostname().split(".")[0] || "this-machine";
  // The last one counts. Without --user the person is called as on this machine.
  const names = ["--name", device, ...flagsIn(args, pairFlags).flat()];
  const paired = runProgram(clientProgram, ["pair", link, ...names, "--allow-http"]);
  if (paired.status !== 0) process.stderr.write(paired.stderr);
  return paired.status === 0 ? pairing() : undefined;
}

/** The flags of these names with their values, in both spellings. */
function flagsIn(args, names) {
  return args.flatMap((text, index) => {
    if (names.includes(text)) return [[text, args[index + 1] ?? ""]];
    const name = names.find((one) => text.startsWith(`${one}=`));
    return name === undefined ? [] : [[name, text.slice(name.length + 1)]];
  });
}

function withoutFlags(args, names) {
  return args.filter(
    (text, index) =>
      !names.includes(text) &&
      !names.includes(args[index - 1]) &&
      !names.some((name) => text.startsWith(`${name}=`)),
  );
}

function runProgram(program, args) {
  return spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
}

function nextSteps({ url, known }, paired, logFile) {
  const program = "node apps/client/dist/main.js";
  const standing =
    paired === undefined
      ? `This machine is not paired with it: ${program} pair '<link>' does that.`
      : `This machine is paired with ${paired.server}: ${paired.user} on ${paired.device}.`;
  return [
    "",
    `The server runs at ${url}; Ctrl-C stops it.`,
    ...(known === undefined ? [] : [`Devices know it as ${known}.`]),
    standing,
    `What the server warns of is written to ${logFile}`,
    "",
    "From another terminal, in this folder:",
    "",
    `  ${program} status         what is synced`,
    `  ${program} device add     a link for your next laptop`,
    "",
    "docs/guides/agents.md tells how an agent remembers by itself.",
    "",
  ];
}
