import { dirname, join } from "node:path";
import { readConfig } from "../../config/read-config.ts";
import { readConfigFile } from "../../config/config-file.ts";
import type { ScrubOptions } from "../../config/scrub-control.ts";
import type { Config } from "../../config/settings.ts";
import { deviceMark, projectAt } from "../../memory/project.ts";
import { createDeviceScrubber, scrubOver, type Scrub } from "../../memory/scrub.ts";
import { toldFolder } from "../../memory/told-folder.ts";
import { systemClock } from "../../platform/clock.ts";
import { readGitPlace } from "../../platform/git-remote.ts";
import { readGitBranch, touchedSince } from "../../platform/git-work.ts";
import { fileBytes } from "../../platform/file-bytes.ts";
import { addFindingCounts } from "../../platform/finding-counts.ts";
import { fileMark } from "../../platform/file-mark.ts";
import { leanHmacSha256, leanSha256 } from "../../platform/lean-hash.ts";
import { readIdentity } from "../../platform/identity.ts";
import { createFileLog, type Log } from "../../platform/log.ts";
import { loadAddon, nativeBindingFor } from "../../platform/native-binding.ts";
import { openHome, pathsOf, type Environment, type Paths } from "../../platform/paths.ts";
import {
  closeUmask,
  environment,
  exitNow,
  programArguments,
  programPath,
  workingDirectory,
  writeOut,
} from "../../platform/program.ts";
import { createPrivateFile } from "../../platform/private-file.ts";
import { systemRandom } from "../../platform/random.ts";
import { isDue } from "../../platform/recent.ts";
import { loadOrCreateScrubKey } from "../../platform/scrub-key.ts";
import { noteSkip, reserveSkips } from "../../platform/skip-log.ts";
import { storeFiles } from "../../platform/store-files.ts";
import { spawnDetached } from "../../platform/spawn-detached.ts";
import { sealCipher } from "../../platform/seal-cipher.ts";
import { createSpoolFile } from "../../platform/spool-file.ts";
import { readStdin } from "../../platform/stdin.ts";
import { isSyncLockHeld } from "../../platform/sync-lock.ts";
import { glanceAt } from "../../store/glance.ts";
import { openAgentStore } from "../../store/open-agent-store.ts";
import { loadScrubControl } from "../../wiring/scrub-control.ts";
import { createContextBuilder } from "./recalled-context.ts";
import { runHook, type HookDeps } from "./run-hook.ts";
import { statusline, statuslineFolder } from "./statusline.ts";

/** Longest wait for another process's transaction, in milliseconds; then the spool takes over. */
const busyMsMax = 250;
/**
 * Bytes of write-ahead log that a hook leaves to the next one, 64 pages. Whoever opens a database
 * that nobody else has open reads its log from the start, and forgets how much of it was copied
 * into the database already: hooks alone would read and copy more each time, without end (HK22).
 */
const logBytesMax = 262_144;
/** Shortest time between two syncs that hooks start, in milliseconds. */
const syncMsMin = 15_000;

/**
 * The hook program (HK1): whatever happens, it exits 0 and prints only what the host asked for. An
 * agent must never stop or be told off because its memory has a bad day.
 */
function main(): void {
  if (programArguments()[0] === "statusline") return tellStatus();
  let log: Log | undefined;
  try {
    closeUmask();
    const [, agent = "", event = ""] = programArguments();
    const stdin = readStdin();
    const env = environment();
    const paths = pathsOf(env);
    const home = openHome(paths);
    // Without a home of our own there is no safe place even for a log line.
    if (!home.ok) return;
    const file = readConfigFile(paths.config);
    const config = configOf(env, file);
    // Before anything is built: a summariser's own hooks should cost next to nothing.
    if (!config.capture || config.inSummariser) return;
    reserveSkips(paths.skips);
    log = createFileLog({ clock: systemClock, path: paths.log, level: config.logLevel });
    const scrubbing = scrubbingOf(env, paths, file);
    // With less scrubbing than was asked for, nothing is captured (SC55).
    if (scrubbing === undefined) {
      noteSkip(systemClock, paths.skips, "scrub settings broken");
      log.warn("scrub-settings-broken");
      return;
    }
    runHook(wire(env, paths, { config, log, scrubbing }), { agent, event, stdin });
  } catch (cause) {
    log?.error("hook-failed", faultFacts(cause));
  } finally {
    exitNow(0);
  }
}

/** Longest text that a host sends for its status line, in bytes. */
const statuslineBytesMax = 1_048_576;

/** Prints one line for the foot of an agent's window; whatever happens, it exits 0 (CL50). */
function tellStatus(): void {
  let line = "tidemark";
  try {
    closeUmask();
    const stdin = readStdin(statuslineBytesMax);
    const folder = stdin.kind === "text" ? statuslineFolder(stdin.text) : undefined;
    const paths = pathsOf(environment());
    // It makes no home: looking is no reason to. Nor a log where one was taken away (ST28).
    const isFit = fileMark(paths.database) !== undefined && !storeFiles.isLogGone(paths.database);
    if (isFit) line = lookAt(paths, folder) ?? line;
  } catch {
    // A window's foot is no place for trouble: doctor tells it.
  } finally {
    writeOut(`${line}\n`);
    exitNow(0);
  }
}

function lookAt(paths: Paths, folder: string | undefined): string | undefined {
  const binding = nativeBindingFor(programPath());
  const identity = readIdentity(paths.identity);
  const env = environment();
  const key = loadOrCreateScrubKey(systemRandom, paths.scrubKey);
  if (!key.ok) return undefined;
  const projects = { workPlaceOf: readGitPlace, deviceMark: deviceMark(key.value, leanHmacSha256) };
  const start = folder ?? workingDirectory() ?? "";
  const options = {
    path: paths.database,
    busyTimeoutMs: busyMsMax,
    sha256: leanSha256,
    random: systemRandom,
    clock: systemClock,
    ...(binding === undefined ? {} : { nativeBinding: () => loadAddon(binding) }),
  };
  const deps = {
    nowMs: systemClock.nowMs(),
    isPaired: identity.ok && identity.value !== undefined,
    isSpooled: createSpoolFile(systemRandom, paths.spool).hasLines(),
    projectOf: () => projectAt(projects, start, env["CLAUDE_PROJECT_DIR"] ?? start),
  };
  const looked = glanceAt(options, (glance) => statusline(deps, glance, folder));
  return looked.ok ? looked.value : undefined;
}

function scrubbingOf(
  env: Environment,
  paths: Paths,
  file: ReturnType<typeof readConfigFile>,
): ScrubOptions | undefined {
  if (!file.ok) return undefined;
  const folder = workingDirectory() ?? "/";
  const place = { env, paths, configFile: file.value, folder, sha256: leanSha256 };
  const control = loadScrubControl(place);
  return control.ok ? control.value.options : undefined;
}

function configOf(env: Environment, file: ReturnType<typeof readConfigFile>): Config {
  const config = readConfig({ env, ...(file.ok ? { file: file.value } : {}) });
  return config.ok ? config.value : config.error.fallback;
}

function wire(
  env: Environment,
  paths: Paths,
  {
    config,
    log,
    scrubbing,
  }: { readonly config: Config; readonly log: Log; readonly scrubbing: ScrubOptions },
): HookDeps {
  const clock = systemClock;
  const random = systemRandom;
  // A key that cannot be read costs stable placeholders, not the capture.
  const stored = loadOrCreateScrubKey(random, paths.scrubKey);
  if (!stored.ok) log.warn("scrub-key-unusable", { kind: stored.error.kind });
  const key = stored.ok ? stored.value : random.bytes(32);
  const scrub = scrubOver(createDeviceScrubber(key, leanHmacSha256, scrubbing), (counts) =>
    addFindingCounts(paths.findings, counts),
  );
  const identity = readIdentity(paths.identity);
  const paired = identity.ok ? identity.value : undefined;
  const names = paired === undefined ? [] : [paired.user.name, paired.user.id];
  const binding = nativeBindingFor(programPath());
  const openOptions = {
    path: paths.database,
    sha256: leanSha256,
    random,
    clock,
    cipher: sealCipher,
    createPrivateFile,
    files: storeFiles,
    busyTimeoutMs: busyMsMax,
    defaultNamespace: config.defaultNamespace,
    ...(paired === undefined ? {} : { identity: paired }),
    ...(binding === undefined ? {} : { nativeBinding: () => loadAddon(binding) }),
  };
  return {
    config,
    clock,
    random,
    sha256: leanSha256,
    log,
    scrub,
    spool: createSpoolFile(random, paths.spool),
    openStore: () => openAgentStore(openOptions),
    // Mostly it is left open: closing the last connection copies the write-ahead log into the
    // database, four more waits for the disk. What is committed is durable without it.
    leaveStore: (store) => {
      if (fileBytes(`${paths.database}-wal`) > logBytesMax) store.close();
    },
    contextBuilder: (store) => createContextBuilder({ store, clock, random, scrub, config, names }),
    ...placesOf(env, key, scrub),
    answer: writeOut,
    startSync: () => {
      if (paired === undefined || isSyncLockHeld(clock, paths.syncLock)) return;
      if (!isDue(clock, paths.syncStamp, syncMsMin)) return;
      const program = join(dirname(programPath()), "main.js");
      spawnDetached(program, ["sync", "--quiet", "--bounded"], env);
    },
    noteSkip: (reason) => {
      noteSkip(clock, paths.skips, reason);
    },
  };
}

/** What a hook asks about the folder that its host told of. */
function placesOf(
  env: Environment,
  key: Uint8Array,
  scrub: Scrub,
): Pick<HookDeps, "projectOf" | "workAt"> {
  const projects = { workPlaceOf: readGitPlace, deviceMark: deviceMark(key, leanHmacSha256) };
  const ofProject = env["CLAUDE_PROJECT_DIR"];
  const known = [workingDirectory(), ofProject].filter((folder) => folder !== undefined);
  return {
    projectOf: (told) => {
      const folder = toldFolder(scrub, told, known);
      // As commands name it: bindings and records have no other name (CP95).
      return scrub.text(projectAt(projects, folder, ofProject ?? folder));
    },
    workAt: (told) => {
      const folder = toldFolder(scrub, told, known);
      return { branch: readGitBranch(folder), isTouched: touchedSince(folder) };
    },
  };
}

/** Facts of a fault without its message, which may quote what was read. */
function faultFacts(cause: unknown): Readonly<Record<string, string>> {
  if (!(cause instanceof Error)) return { name: typeof cause };
  const frames = (cause.stack ?? "").split("\n").filter((line) => /^\s+at /u.test(line));
  return {
    name: cause.name,
    at: frames
      .slice(0, 4)
      .map((line) => line.trim())
      .join(" < "),
  };
}

main();
