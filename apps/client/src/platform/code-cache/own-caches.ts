import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtin } from "../builtin.ts";
import { cachePath, isCacheWhole } from "./cache-file.ts";
import { textHash } from "./make.ts";

/** Longest time that compiling may take, in milliseconds. */
const makeMsMax = 120_000;

/** What the programs of this installation start from. */
export interface OwnCaches {
  /** `fit`: this very Node made them, and they are whole. `none`: a program that was not built has none to make. */
  readonly state: "fit" | "missing" | "none";
  /** Whether this person may make them. */
  readonly mayMake: boolean;
  /** The command that makes them. */
  readonly command: readonly string[];
  /** Makes them; false where that failed, which costs time alone. */
  make(): boolean;
}

/** Looks at the caches beside a program. */
export function ownCaches(program: string): OwnCaches {
  const folder = dirname(program);
  const maker = join(folder, "caches.cjs");
  const command = [process.execPath, maker];
  const programs = ["hook.cjs", "cli.cjs"].map((name) => join(folder, name));
  return {
    state: stateOf([maker, ...programs], programs),
    mayMake: isWritable(folder),
    command,
    make: () => {
      const { status } = builtin.childProcess().spawnSync(process.execPath, [maker], {
        stdio: "ignore",
        timeout: makeMsMax,
      });
      return status === 0;
    },
  };
}

function stateOf(needed: readonly string[], programs: readonly string[]): OwnCaches["state"] {
  if (!needed.every((path) => existsSync(path))) return "none";
  const fits = programs.every((path) => isCacheWhole(cachePath(path, textHash(path))));
  return fits ? "fit" : "missing";
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
