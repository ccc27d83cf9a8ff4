import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Where the recorded session is said to have run: both laptops have a clone of it. */
const remote = "https://github.com/exampleorg/spotter.git";
const stopMsMax = 5_000;

/** A temporary folder for everything, and what must be put away at the end, last opened first. */
export function createStage() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tidemark-demo-")));
  const workFolder = join(folder, "work", "spotter");
  mkdirSync(join(workFolder, ".git"), { recursive: true });
  mkdirSync(join(folder, "home"), { mode: 0o700 });
  writeFileSync(join(workFolder, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(workFolder, ".git", "config"), `[remote "origin"]\n\turl = ${remote}\n`);
  const steps = [];
  let closing;
  return {
    folder,
    workFolder,
    onClose: (step) => steps.unshift(step),
    /** Ends every process and removes every file; safe to call twice. */
    close: () => {
      closing ??= closeAll(folder, steps);
      return closing;
    },
  };
}

async function closeAll(folder, steps) {
  for (const step of steps) {
    try {
      await step();
    } catch {
      // What comes after must be put away all the same.
    }
  }
  await endStrays(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/**
 * Ends what outlived its starter: a sync that a hook detached, the PostgreSQL of a killed server.
 * A process is ours if it was started in our folder or for it.
 */
async function endStrays(folder) {
  const endMs = Date.now() + stopMsMax;
  for (let signal = "SIGTERM"; ; signal = Date.now() > endMs ? "SIGKILL" : "SIGTERM") {
    const strays = straysOf(folder);
    if (strays.length === 0 || Date.now() > endMs + 1_000) return;
    for (const pid of strays) endProcess(pid, signal);
    await sleep(100);
  }
}

function straysOf(folder) {
  const noted = [...claimsIn(folder), ...databaseIn(folder)];
  return process.platform === "linux" ? processesOf(folder) : noted.filter(isAlive);
}

/** Linux tells of each process where it stands and with which variables it began. */
function processesOf(folder) {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => {
    if (pid === process.pid) return false;
    const variables = readText(`/proc/${pid}/environ`).split("\0");
    const isOurs = variables.some(
      (text) => text.startsWith(`TIDEMARK_HOME=${folder}/`) || text === `HOME=${folder}/home`,
    );
    return (isOurs || isDatabase(pid, folder)) && isAlive(pid);
  });
}

function isDatabase(pid, folder) {
  try {
    const isPostgres = readlinkSync(`/proc/${pid}/exe`).endsWith("/postgres");
    return isPostgres && readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/server/`);
  } catch {
    return false;
  }
}

function claimsIn(folder) {
  const locks = readNames(folder).map((name) => join(folder, name, "sync.lock"));
  return locks.flatMap((lock) => readNames(lock).map((claim) => Number(claim.split(".")[0])));
}

function databaseIn(folder) {
  const text = readText(join(folder, "server", "postgres", "data", "postmaster.pid"));
  return text === "" ? [] : [Number(text.split("\n")[0])];
}

function isAlive(pid) {
  // A zombie has ended; it only waits for its parent to look.
  if (/^\d+ \(.*\) Z /s.test(readText(`/proc/${pid}/stat`))) return false;
  try {
    process.kill(pid, 0);
    return Number.isSafeInteger(pid) && pid > 0;
  } catch {
    return false;
  }
}

function endProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function readNames(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
