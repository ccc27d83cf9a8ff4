import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const named = process.argv.indexOf("--programs");

/** The programs: those that were built here, or that are installed in the folder of `--programs`. */
export const clientProgram = programOf("client");
export const serverProgram = programOf("server");

function programOf(name) {
  const folder =
    named < 0
      ? fileURLToPath(new URL(`../../apps/${name}`, import.meta.url))
      : resolve(process.argv[named + 1] ?? "", "node_modules/@tidemark", name);
  return join(folder, "dist/main.js");
}

/** Longest run of one command; a command that hangs is a failure too. */
const runMsMax = 60_000;

/** What a command said and how it ended. */
export function run(program, args, { env, cwd, input = "" }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { env, cwd });
    const out = [];
    const err = [];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => err.push(chunk));
    // A program that ends before it read its input is no error of ours.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const timer = setTimeout(() => child.kill("SIGKILL"), runMsMax);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const [stdout, stderr] = [out, err].map((chunks) => Buffer.concat(chunks).toString("utf8"));
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/**
 * The environment of programs that know nothing of the person who runs the demo: no variable of
 * Tidemark's, no database, no proxy settings.
 */
export function cleanEnvironment(env, own) {
  const wanted = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP", "SystemRoot", "PATHEXT"];
  const kept = wanted.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]);
  return { ...Object.fromEntries(kept), NO_COLOR: "1", ...own };
}
