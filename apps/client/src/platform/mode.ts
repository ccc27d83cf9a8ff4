import { statSync } from "node:fs";

/** Permission bits of a file or folder; undefined where there is none. */
export function modeOf(path: string): number | undefined {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? undefined : mode & 0o777;
}

/** Version of the runtime, such as `20.19.0`. */
export function runtimeVersion(): string {
  return process.versions.node;
}
