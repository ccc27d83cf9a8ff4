import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small disk of its own, in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all the room that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  unmount(): void;
}

/** Mounts a disk of so many KiB; undefined where the system does not let us, as without root. */
export function mountSmallDisk(kib: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-disk-"));
  const mounted =
    process.platform === "linux" &&
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", folder]).status === 0;
  if (!mounted) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  // A disk in memory begins as open as a temporary folder.
  chmodSync(folder, 0o755);
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => {
      fillFile(filler);
    },
    free: () => {
      rmSync(filler, { force: true });
    },
    unmount: () => {
      spawnSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fillFile(path: string): void {
  const file = openSync(path, "a");
  try {
    for (let bytes = 65_536; bytes >= 1;) {
      const chunk = Buffer.alloc(bytes, "x");
      if (!wasWritten(file, chunk)) bytes = Math.floor(bytes / 2);
    }
  } finally {
    closeSync(file);
  }
}

function wasWritten(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) === chunk.length;
  } catch (cause) {
    if ((cause as { readonly code?: string }).code === "ENOSPC") return false;
    throw cause;
  }
}
