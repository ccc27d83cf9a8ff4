import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { systemClock } from "../platform/clock.ts";
import { fileBytes } from "../platform/file-bytes.ts";
import { fileMark } from "../platform/file-mark.ts";
import { onParentGone, onStdinEnd, programPath, writeErr } from "../platform/program.ts";
import { onStop } from "../platform/stop-signals.ts";
import type { Environment } from "../platform/paths.ts";
import { repairFiles } from "../platform/repair-files.ts";
import { spawnDetached } from "../platform/spawn-detached.ts";
import { largeDatabaseBytes } from "../store/repair/large-database.ts";
import { createMcpServer } from "../surfaces/mcp/create-server.ts";
import { startBackgroundSync } from "./background-sync.ts";
import { keepEmbedding } from "./keep-embedding.ts";
import { openDeviceHome, type Home } from "./home.ts";
import { openMemory, type Memory } from "./memory.ts";
import { untoldRepair } from "./repair-note.ts";
import { keepSummarising } from "./summaries.ts";
import { isInSummariser } from "./summariser.ts";
import { UserError } from "./user-error.ts";
import { whileFit } from "./while-fit.ts";

/**
 * Serves one agent over standard input and output until the input ends or the agent
 * is gone (MC5, MC9), and keeps the device
 * in sync meanwhile. Standard output belongs to the protocol: nothing else writes to it.
 */
export async function serveMcp(env: Environment, version: string): Promise<void> {
  // A summariser that is an agent starts its servers too; its own session is none of memory's (SM5).
  if (isInSummariser(env)) return;
  const home = openDeviceHome(env);
  const memory = openAtOnce(home, env);
  for (const line of untoldRepair(memory, false)) writeErr(`tidemark: ${line}\n`);
  const stop = new AbortController();
  const ended = new Promise<void>((resolve) => {
    stop.signal.addEventListener("abort", () => {
      resolve();
    });
  });
  const abort = (): void => {
    stop.abort();
  };
  onStdinEnd(abort);
  onParentGone(abort);
  onStop(abort);
  const signal = whileFit(home, memory, stop.signal);
  const background = startBackgroundSync(home, memory, signal);
  const summaries = keepSummarising(home, memory, { signal, lives: "short" });
  const embeddings = keepEmbedding(home, memory, signal);
  const project = home.projectAt(env["CLAUDE_PROJECT_DIR"]);
  const mark = fileMark(home.paths.database);
  const deps = {
    home,
    project,
    wake: background.wake,
    get memory() {
      // A file that lost its name still takes writes, and loses them with the last program (MC7).
      if (fileMark(home.paths.database) !== mark) throw new UserError(homeGone);
      home.followSettings();
      return memory;
    },
  };
  const server = createMcpServer(deps, version);
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
  await Promise.all([background.ended, summaries, embeddings]);
  memory.store.close();
}

/**
 * Opens the database. An agent waits ten seconds for a server to answer, or thirty: the check that is
 * due once a day is left to a process of its own where it takes long (MC11).
 */
function openAtOnce(home: Home, env: Environment): Memory {
  const { database } = home.paths;
  if (fileBytes(database) < largeDatabaseBytes) return openMemory(home);
  const memory = openMemory(home, { look: "when-noted" });
  const isDue = repairFiles.isCheckDue(database, systemClock.nowMs());
  if (isDue) spawnDetached(programPath(), ["doctor"], env);
  return memory;
}

const homeGone = {
  code: "home-gone",
  message:
    "the database of this memory was moved, replaced or deleted; nothing was done. Start this MCP server again",
  hint: "",
} as const;
