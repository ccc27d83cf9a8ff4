// Serves on this machine: the sync server on its own PostgreSQL, and this machine's own client
// paired with it. Ctrl-C stops all of it; what was stored stays.
import { spawn, spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";

const clientProgram = fileURLToPath(new URL("../apps/client/dist/main.js", import.meta.url));
const serverProgram = fileURLToPath(new URL("../apps/server/dist/main.js", import.meta.url));
const listenLine = /^Tidemark listens on (\S+)/m;
const stopMsMax = 12_000;

process.exitCode = await main(process.argv.slice(2));

async function main(args) {
  const server = startServer(args);
  const url = await server.listening;
  if (url === undefined) return await server.ended;
  const pairedWith = pairedServer() ?? pairThisMachine(args);
  for (const line of nextSteps(url, pairedWith)) process.stdout.write(`${line}\n`);
  return await server.ended;
}

/** Starts the server; its own words about a port that is taken or a folder in use are passed on. */
function startServer(args) {
  const child = spawn(process.execPath, [serverProgram, "serve", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TIDEMARK_LOG_LEVEL: process.env.TIDEMARK_LOG_LEVEL ?? "warn" },
    // Ctrl-C is passed on by this program alone, or the server would be told twice.
    detached: true,
  });
  child.stderr.pipe(process.stderr);
  const ended = new Promise((resolve) => {
    child.once("close", (code) => resolve(code ?? 1));
    child.once("error", () => resolve(1));
  });
  const listening = new Promise((resolve) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const url = listenLine.exec(said)?.[1];
      if (url !== undefined) resolve(url);
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

/** The address of the server that this machine is paired with. */
function pairedServer() {
  const { status, stdout } = runProgram(clientProgram, ["status", "--json"]);
  return status === 0 ? (JSON.parse(stdout).server ?? undefined) : undefined;
}

/** Pairs this machine by the real setup link; a server that has an owner gives none. */
function pairThisMachine(args) {
  const made = runProgram(serverProgram, ["setup-link", ...placeOf(args), "--json"]);
  if (made.status !== 0) return undefined;
  const { link } = JSON.parse(made.stdout);
  const name = hostname().split(".")[0] || "this-machine";
  const paired = runProgram(clientProgram, ["pair", link, "--name", name, "--allow-http"]);
  if (paired.status !== 0) process.stderr.write(paired.stderr);
  return paired.status === 0 ? pairedServer() : undefined;
}

/** The arguments that say which server is meant. */
function placeOf(args) {
  const flags = ["--data-dir", "--database-url", "--public-url"];
  return args.flatMap((text, index) => {
    if (flags.includes(text)) return [text, args[index + 1] ?? ""];
    return flags.some((flag) => text.startsWith(`${flag}=`)) ? [text] : [];
  });
}

function runProgram(program, args) {
  return spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
}

function nextSteps(url, pairedWith) {
  const program = "node apps/client/dist/main.js";
  const standing =
    pairedWith === undefined
      ? `This machine is not paired with it: ${program} pair '<link>' does that.`
      : `This machine is paired with ${pairedWith}.`;
  return [
    "",
    `The server runs at ${url}; Ctrl-C stops it.`,
    standing,
    "",
    "From another terminal, in this folder:",
    "",
    `  ${program} status         what is synced`,
    `  ${program} device add     a link for your next laptop`,
    "",
    "docs/guides/solo.md tells how an agent remembers by itself.",
    "",
  ];
}
