import { chmodSync, mkdirSync, statSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { builtin } from "./builtin.ts";
import { errnoOf } from "./errno.ts";
import { ownUid } from "./private-file.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where everything of one device lies. Every path is absolute. */
export interface Paths {
  /** Folder of the database, the keys and the identity; 0700. */
  readonly home: string;
  /** Folder of `config.json`. */
  readonly configHome: string;
  /** Folder of what may be lost: log, skips, locks. */
  readonly stateHome: string;
  readonly database: string;
  /** Who this device is and where it is paired. */
  readonly identity: string;
  readonly deviceKey: string;
  readonly scrubKey: string;
  /** Project files that the user has agreed to. */
  readonly scrubTrust: string;
  /** Highest counter of a signed assertion. */
  readonly assertionCounter: string;
  readonly config: string;
  /** Scrubbed captures that the database could not take. */
  readonly spool: string;
  /** What was not captured, and why: one line a skip. */
  readonly skips: string;
  /** How often something was taken out, by kind. */
  readonly findings: string;
  readonly log: string;
  /** Folder of claims on driving the sync engine. */
  readonly syncLock: string;
  /** When a hook last started a sync. */
  readonly syncStamp: string;
}

/** Why the home cannot be used. `hint` is the command to run next. */
export interface HomeError {
  readonly kind: "unsafe-home" | "unwritable-home";
  readonly path: string;
  readonly hint: string;
}

/**
 * Paths under `TIDEMARK_HOME`, else under the XDG folders (OPS40).
 *
 * Relative values are refused by the XDG specification and are taken from the working folder
 * for `TIDEMARK_HOME`, as a shell would.
 */
export function pathsOf(env: Environment): Paths {
  const own = env["TIDEMARK_HOME"];
  if (own !== undefined && own !== "") {
    const home = resolve(own);
    return under(home, home, home);
  }
  const user = env["HOME"] ?? builtin.os().homedir();
  const folder = (name: string, fallback: string): string => {
    const value = env[name];
    const base = value !== undefined && isAbsolute(value) ? value : join(user, fallback);
    return join(base, "tidemark");
  };
  return under(
    folder("XDG_DATA_HOME", ".local/share"),
    folder("XDG_CONFIG_HOME", ".config"),
    folder("XDG_STATE_HOME", ".local/state"),
  );
}

/**
 * Makes the folders (0700) and refuses what others could write into (OPS41): a planted link or
 * database would otherwise be opened with our rights.
 */
export function openHome(paths: Paths): Result<Paths, HomeError> {
  for (const folder of new Set([paths.home, paths.configHome, paths.stateHome])) {
    const opened = openFolder(folder);
    if (!opened.ok) return opened;
  }
  return ok(paths);
}

function under(home: string, configHome: string, stateHome: string): Paths {
  return {
    home,
    configHome,
    stateHome,
    database: join(home, "tidemark.db"),
    identity: join(home, "device.json"),
    deviceKey: join(home, "device.key"),
    scrubKey: join(home, "scrub.key"),
    scrubTrust: join(home, "scrub-trust.json"),
    assertionCounter: join(home, "assertion.counter"),
    config: join(configHome, "config.json"),
    spool: join(home, "spool.jsonl"),
    skips: join(stateHome, "skips.jsonl"),
    findings: join(stateHome, "findings.jsonl"),
    log: join(stateHome, "log", "tidemark.log"),
    syncLock: join(stateHome, "sync.lock"),
    syncStamp: join(stateHome, "sync.stamp"),
  };
}

function openFolder(path: string): Result<string, HomeError> {
  const made = statOrMake(path);
  if (!made.ok) return made;
  const stats = made.value;
  const uid = ownUid();
  const quoted = JSON.stringify(path);
  if (!stats.isDirectory()) {
    return fail({
      kind: "unsafe-home",
      path,
      hint: `${quoted} is not a folder; set TIDEMARK_HOME`,
    });
  }
  if (uid !== undefined && stats.uid !== uid) {
    const hint = `${quoted} belongs to another user; set TIDEMARK_HOME to a folder of your own`;
    return fail({ kind: "unsafe-home", path, hint });
  }
  if (uid !== undefined && (stats.mode & 0o022) !== 0) {
    return fail({
      kind: "unsafe-home",
      path,
      hint: `others may write into it: chmod 700 ${quoted}`,
    });
  }
  const above = dirname(path);
  if (uid !== undefined && isOpenToAll(statSync(above))) {
    const hint = `anybody may replace it, as ${JSON.stringify(above)} is open to all; set TIDEMARK_HOME`;
    return fail({ kind: "unsafe-home", path, hint });
  }
  if (uid !== undefined && (stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return ok(path);
}

/** World-writable without the sticky bit that `/tmp` has. */
function isOpenToAll(stats: Stats): boolean {
  return (stats.mode & 0o1002) === 0o002;
}

function statOrMake(path: string): Result<Stats, HomeError> {
  try {
    const known = statSync(path, { throwIfNoEntry: false });
    if (known !== undefined) return ok(known);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return ok(statSync(path));
  } catch (cause) {
    const hint = `${errnoOf(cause) ?? "failed"}; set TIDEMARK_HOME to a folder you can write`;
    return fail({ kind: "unwritable-home", path, hint });
  }
}
