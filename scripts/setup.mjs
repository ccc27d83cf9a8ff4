// Brings a fresh checkout to where tests, demo and server run: dependencies, and with --build the programs.
// Needs Node and npm alone. Says what it does and how long it takes; a second run does nothing.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampFile = join(root, "node_modules", ".tidemark-setup");

checkNode();
installDependencies();
if (process.argv.includes("--build")) build();

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(
    `Node ${process.versions.node} is too old.`,
    "install Node 20.19 or newer, then run this again",
  );
}

function installDependencies() {
  const wanted = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return;
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const pnpm = packageManager.split("+")[0];
  say(
    `Installing dependencies with ${pnpm} (the first time compiles SQLite: one to four minutes) …`,
  );
  const started = Date.now();
  run("npx", ["-y", pnpm, "install", "--frozen-lockfile", "--reporter=append-only"], {
    // Corepack and CI settings of the machine must not change what is installed here.
    env: { ...process.env, CI: "true", npm_config_yes: "true", ...headersOfNode() },
    quiet: true,
  });
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(stampFile, wanted);
  say(`Dependencies are installed (${seconds(started)}).`);
}

// Compiling SQLite wants Node's headers. Where they lie beside this Node, nothing has to be fetched.
function headersOfNode() {
  const folder = join(dirname(process.execPath), "..");
  const file = join(folder, "include", "node", "node_version.h");
  if (process.env.npm_config_nodedir !== undefined || !existsSync(file)) return {};
  const text = readFileSync(file, "utf8");
  const numbers = ["MAJOR", "MINOR", "PATCH"].map(
    (part) => new RegExp(`#define NODE_${part}_VERSION (\\d+)`).exec(text)?.[1],
  );
  return numbers.join(".") === process.versions.node ? { npm_config_nodedir: folder } : {};
}

function build() {
  const started = Date.now();
  run(process.execPath, [join(root, "scripts", "build.mjs")], { env: process.env, quiet: true });
  say(`The programs are built (${seconds(started)}).`);
}

// What decides whether an install is up to date: lockfile, Node's ABI, platform.
function fingerprint() {
  const lockfile = readFileSync(join(root, "pnpm-lock.yaml"));
  const { modules } = process.versions;
  return createHash("sha256")
    .update(lockfile)
    .update(`${process.platform} ${process.arch} ${modules}`)
    .digest("hex");
}

function run(command, args, { env, quiet }) {
  const result = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
  });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  fail(
    `\`${command} ${args.join(" ")}\` failed.`,
    "read the lines above; then run the same command again",
  );
}

function seconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`;
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(message, hint) {
  say(`error: ${message}`);
  say(`hint: ${hint}`);
  process.exit(1);
}
