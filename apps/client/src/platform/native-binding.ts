import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const inPackage = "better-sqlite3/build/Release/better_sqlite3.node";
const stepsMax = 6;

/**
 * Path of the SQLite addon for a program at `programPath`, found by looking for it in the
 * `node_modules` above; undefined leaves the search to the package. The package's own search loads
 * two more modules and asks for a dozen files at every start.
 */
export function nativeBindingFor(programPath: string): string | undefined {
  let folder = dirname(programPath);
  for (let step = 0; step < stepsMax; step += 1) {
    const candidate = join(folder, "node_modules", inPackage);
    if (existsSync(candidate)) return candidate;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return undefined;
}

/**
 * Loads an addon by its path alone. `require` would ask for every folder on the way first, and
 * look the addon up in a cache in which a hook has nothing.
 */
export function loadAddon(path: string): object {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}
