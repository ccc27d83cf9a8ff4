import { resolve } from "node:path";
import type { Scrubber } from "@tidemark/scrubber";
import { readConfigFile } from "../config/config-file.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/settings.ts";
import { deviceMark, projectAt } from "../memory/project.ts";
import { createDeviceScrubber, createScrub, type Scrub } from "../memory/scrub.ts";
import { systemClock } from "../platform/clock.ts";
import { readGitPlace } from "../platform/git-remote.ts";
import { hmacSha256 } from "../platform/hash.ts";
import { readIdentity, type Identity } from "../platform/identity.ts";
import { createFileLog, type Log } from "../platform/log.ts";
import { openHome, pathsOf, type Environment, type Paths } from "../platform/paths.ts";
import { workingDirectory } from "../platform/program.ts";
import { systemRandom } from "../platform/random.ts";
import { loadOrCreateScrubKey } from "../platform/scrub-key.ts";
import { UserError } from "./user-error.ts";

/** What a program knows of its device before it opens the database. */
export interface Home {
  readonly env: Environment;
  readonly paths: Paths;
  readonly config: Config;
  /** Read anew at each call: pairing changes it. Undefined while the device is not paired. */
  readonly identity: () => Identity | undefined;
  readonly scrub: Scrub;
  readonly scrubber: Scrubber;
  /** Identity of the project that a folder, or the working folder, belongs to; scrubbed. */
  readonly projectAt: (folder?: string) => string;
  readonly log: Log;
}

/** Opens this device's home. Throws a {@link UserError} where it is not fit to be used. */
export function openDeviceHome(env: Environment): Home {
  const paths = homePaths(env);
  const config = configOf(env, paths);
  const key = scrubKeyOf(paths);
  const scrub = createScrub(key, hmacSha256);
  const projects = { workPlaceOf: readGitPlace, deviceMark: deviceMark(key, hmacSha256) };
  return {
    env,
    paths,
    config,
    identity: () => identityOf(paths),
    scrub,
    scrubber: createDeviceScrubber(key, hmacSha256),
    projectAt: (folder = ".") =>
      scrub.text(projectAt(projects, resolve(workingDirectory() ?? "/", folder))),
    log: createFileLog({ clock: systemClock, path: paths.log, level: config.logLevel }),
  };
}

function homePaths(env: Environment): Paths {
  const home = openHome(pathsOf(env));
  if (home.ok) return home.value;
  const { kind, path, hint } = home.error;
  throw new UserError({ code: kind, message: `the folder ${path} cannot be used`, hint });
}

function configOf(env: Environment, paths: Paths): Config {
  const file = readConfigFile(paths.config);
  if (!file.ok) {
    const { path, hint } = file.error;
    throw new UserError({ code: "bad-config", message: `${path} cannot be read`, hint });
  }
  const config = readConfig({ env, file: file.value });
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
