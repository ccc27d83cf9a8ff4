import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { edited, editsOf, type Mutant } from "./mutant.ts";

const root = join(import.meta.dirname, "../..");
const workspaces = ["apps/client", "apps/server", "packages/protocol", "packages/scrubber"];
const copied = [
  ...workspaces.flatMap((each) => [`${each}/src`, `${each}/package.json`]),
  // The simulation takes its later server from there.
  "test/integration",
  "test/simulation",
  "test/mutants",
  "package.json",
  "tsconfig.base.json",
  "tsconfig.json",
];

/** A folder of copies in which bugs are planted; the project itself is only read, and once. */
export interface Workbench {
  /** A copy with the bug, or without one; gives its folder. */
  plant(mutant?: Mutant): string;
  remove(copy: string): void;
  /** Takes everything away. */
  close(): void;
}

/** Takes a snapshot of the sources, so that a long hunt sees one state of them. */
export function openWorkbench(): Workbench {
  const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const folder = mkdtempSync(join(base, "tidemark-mutants-"));
  const snapshot = join(folder, "snapshot");
  for (const path of copied) {
    mkdirSync(dirname(join(snapshot, path)), { recursive: true });
    cpSync(join(root, path), join(snapshot, path), { recursive: true });
  }
  let made = 0;
  return {
    plant: (mutant) => {
      const copy = join(folder, `copy-${(made += 1)}`);
      cpSync(snapshot, copy, { recursive: true });
      for (const workspace of workspaces) linkModules(copy, workspace);
      symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
      for (const edit of mutant === undefined ? [] : editsOf(mutant)) {
        const path = join(copy, edit.file);
        writeFileSync(path, edited(readFileSync(path, "utf8"), edit));
      }
      return copy;
    },
    remove: (copy) => {
      rmSync(copy, { recursive: true, force: true });
    },
    close: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The real dependencies, but the project's own packages from the copy. */
function linkModules(copy: string, workspace: string): void {
  const real = join(root, workspace, "node_modules");
  const linked = join(copy, workspace, "node_modules");
  mkdirSync(linked, { recursive: true });
  for (const name of readdirSync(real)) {
    if (name === "@tidemark") linkOwn(join(real, name), join(linked, name));
    else if (!name.startsWith(".")) symlinkSync(join(real, name), join(linked, name));
  }
}

function linkOwn(real: string, linked: string): void {
  mkdirSync(linked);
  for (const name of readdirSync(real)) {
    symlinkSync(join("../../../../packages", name), join(linked, name));
  }
}
