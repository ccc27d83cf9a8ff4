import { dirname, resolve } from "node:path";
import type { Scrubber } from "@tidemark/scrubber";
import { readConfigFile } from "../config/config-file.ts";
import { readConfig, unknownMembers } from "../config/read-config.ts";
import type { ScrubControl } from "../config/scrub-control.ts";
import type { Config } from "../config/settings.ts";
import { deviceMark, projectAt } from "../memory/project.ts";
import { createDeviceScrubber, type ScrubAsked, type Scrub, scrubOver } from "../memory/scrub.ts";
import { toldFolder } from "../memory/told-folder.ts";
import { systemClock } from "../platform/clock.ts";
import { readGitPlace } from "../platform/git-remote.ts";
import { readGitBranch, touchedSince } from "../platform/git-work.ts";
import type { Work } from "../recall/work.ts";
import { addFindingCounts } from "../platform/finding-counts.ts";
import { hmacSha256, sha256 } from "../platform/hash.ts";
import { readIdentity, type Identity } from "../platform/identity.ts";
import { createFileLog, type Log } from "../platform/log.ts";
import { openHome, pathsOf, type Environment, type Paths } from "../platform/paths.ts";
import { workingDirectory } from "../platform/program.ts";
import { systemRandom } from "../platform/random.ts";
import { loadOrCreateScrubKey } from "../platform/scrub-key.ts";
import { readScrubTrust } from "../platform/scrub-trust.ts";
import { findScrubFile, loadScrubControl, type ScrubPlace } from "./scrub-control.ts";
import { UserError } from "./user-error.ts";

/** What a program knows of its device before it opens the database. */
export interface Home {
  readonly env: Environment;
  /** The folder that the program works for. */
  readonly folder: string;
  readonly paths: Paths;
  /** As read at the start, or by {@link Home.followSettings} since. */
  readonly config: Config;
  /** What `config.json` says that counts for nothing. */
  readonly unknownSettings: readonly string[];
  /** Read anew at each call: pairing changes it. Undefined while the device is not paired. */
  readonly identity: () => Identity | undefined;
  /** Counts what it takes out. Throws a {@link UserError} where the scrub settings are broken. */
  readonly scrub: Scrub;
  /** The same without counting, with what a command asks for beyond the settings. */
  readonly scrubberWith: (asked: ScrubAsked) => Scrubber;
  /** The scrub settings in force; throws a {@link UserError} where they are broken (SC55). */
  readonly scrubControl: () => ScrubControl;
  /**
   * Has settings that were changed since they were read hold from here on: a program that runs for long
   * would store, and hand to others, by those of its start (MC13, MC14). Throws a {@link UserError}
   * where none can be read.
   */
  readonly followSettings: () => void;
  /** Folder to which the globs of allowed paths are relative. */
  readonly scrubRoot: () => string;
  /** Identity of the project that a folder, or the working folder, belongs to; scrubbed. */
  readonly projectAt: (folder?: string) => string;
  /** What is being worked on in this folder. */
  readonly work: () => Work;
  readonly log: Log;
}

/** Opens this device's home. Throws a {@link UserError} where it is not fit to be used. */
export function openDeviceHome(env: Environment, folder: string = workingDirectory() ?? "/"): Home {
  const paths = homePaths(env);
  const configFile = readConfigMembers(paths);
  let config = configOf(env, configFile);
  const key = scrubKeyOf(paths);
  const { scrubControl, followSettings } = followedControl(
    { env, paths, configFile, folder, sha256 },
    (file) => {
      config = configOf(env, file);
    },
  );
  const scrubberWith = (asked: ScrubAsked): Scrubber =>
    createDeviceScrubber(key, hmacSha256, { ...scrubControl().options, ...asked });
  const scrub = lazyScrub(scrubControl, () =>
    scrubOver(scrubberWith({}), (counts) => addFindingCounts(paths.findings, counts)),
  );
  const projects = { workPlaceOf: readGitPlace, deviceMark: deviceMark(key, hmacSha256) };
  return {
    env,
    folder,
    paths,
    get config() {
      return config;
    },
    unknownSettings: unknownMembers(configFile),
    identity: () => identityOf(paths),
    scrub,
    scrubberWith,
    scrubControl,
    followSettings,
    scrubRoot: () => scrubRootOf(folder, scrubControl().project?.path),
    projectAt: (place = ".") => {
      const told = resolve(folder, toldFolder(scrub, place, [folder]));
      return scrub.text(projectAt(projects, told));
    },
    work: () => ({ branch: readGitBranch(folder), isTouched: touchedSince(folder) }),
    log: createFileLog({ clock: systemClock, path: paths.log, level: config.logLevel }),
  };
}

function homePaths(env: Environment): Paths {
  const home = openHome(pathsOf(env));
  if (home.ok) return home.value;
  const { kind, path, hint } = home.error;
  throw new UserError({ code: kind, message: `the folder ${path} cannot be used`, hint });
}

function readConfigMembers(paths: Paths): unknown {
  const file = readConfigFile(paths.config);
  if (file.ok) return file.value;
  const { path, hint } = file.error;
  throw new UserError({ code: "bad-config", message: `${path} cannot be read`, hint });
}

/** The settings of scrubbing, read when they are first asked for; `take` is told what `config.json` holds anew. */
function followedControl(
  place: ScrubPlace,
  take: (configFile: unknown) => void,
): Pick<Home, "scrubControl" | "followSettings"> {
  const { paths } = place;
  const read = { place, mark: "" };
  let control: ScrubControl | undefined;
  const markNow = (): string =>
    JSON.stringify([
      readConfigFile(paths.config),
      findScrubFile(read.place),
      readScrubTrust(paths.scrubTrust),
    ]);
  return {
    scrubControl: () => {
      if (control !== undefined) return control;
      // Before they are read: what is written meanwhile is another mark the next time.
      read.mark = markNow();
      return (control = scrubControlOf(read.place));
    },
    followSettings: () => {
      if (control !== undefined && markNow() === read.mark) return;
      const configFile = readConfigMembers(paths);
      take(configFile);
      read.place = { ...place, configFile };
      control = undefined;
    },
  };
}

/** A scrub whose settings are read when it is first used: what needs none runs without them. */
function lazyScrub(control: () => ScrubControl, build: () => Scrub): Scrub {
  let built: { readonly of: ScrubControl; readonly scrub: Scrub } | undefined;
  const scrub = (): Scrub => {
    const of = control();
    if (built?.of !== of) built = { of, scrub: build() };
    return built.scrub;
  };
  return {
    value: (value, name) => scrub().value(value, name),
    payload: (payload) => scrub().payload(payload),
    text: (text) => scrub().text(text),
  };
}

/** The folder that a project's file stands for, else the working copy, else the folder itself. */
function scrubRootOf(folder: string, file: string | undefined): string {
  if (file !== undefined) return dirname(dirname(file));
  return readGitPlace(folder)?.root ?? folder;
}

function scrubControlOf(place: ScrubPlace): ScrubControl {
  const control = loadScrubControl(place);
  if (control.ok) return control.value;
  const { path, problems } = control.error;
  throw new UserError({
    code: "bad-scrub-settings",
    message: `${path}: ${problems.join("; ")}`,
    hint: "mend it, or update tidemark if it is for a newer version; until then nothing is captured here",
  });
}

function configOf(env: Environment, file: unknown): Config {
  const config = readConfig({ env, file });
  if (config.ok) return config.value;
  throw new UserError({
    code: "bad-config",
    message: config.error.problems.join("; "),
    hint: "mend the setting and try again",
  });
}

function scrubKeyOf(paths: Paths): Uint8Array {
  const key = loadOrCreateScrubKey(systemRandom, paths.scrubKey);
  if (key.ok) return key.value;
  const { path, hint } = key.error;
  throw new UserError({ code: "scrub-key", message: `${path} cannot be used`, hint });
}

function identityOf(paths: Paths): Identity | undefined {
  const identity = readIdentity(paths.identity);
  if (identity.ok) return identity.value;
  const { path, hint } = identity.error;
  throw new UserError({ code: "bad-identity", message: `${path} cannot be used`, hint });
}
