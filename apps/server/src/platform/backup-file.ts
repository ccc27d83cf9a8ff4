import { once } from "node:events";
import { createReadStream, rmSync } from "node:fs";
import { link, lstat, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { isErrno, syncDir } from "./files.ts";
import type { Random } from "./random.ts";

/** Fast rather than small: rows compress well at any level. */
const gzipLevel = 3;

/** Gives the bytes of a file, piece by piece, to where they are written. */
type Fill = (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>;

/**
 * Writes a compressed file that only its owner can read (0600), whole or not at all. One that is
 * there is never replaced: fails with EEXIST.
 */
export async function writeBackupFile(random: Random, path: string, fill: Fill): Promise<void> {
  await expectNone(path);
  const suffix = Buffer.from(random.bytes(8)).toString("hex");
  const temporary = join(dirname(path), `.${suffix}.tmp`);
  const letGo = sweptAtExit(temporary);
  try {
    await fillFile(temporary, fill);
    await syncFile(temporary);
    await putInPlace(temporary, path);
  } finally {
    letGo();
    await rm(temporary, { force: true });
  }
  await syncDir(dirname(path));
}

async function fillFile(path: string, fill: Fill): Promise<void> {
  const file = await open(path, "wx", 0o600);
  const gzip = createGzip({ level: gzipLevel });
  const written = pipeline(gzip, file.createWriteStream());
  // Whoever fills it learns of a full disk at the next piece.
  written.catch((cause: unknown) => {
    gzip.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  });
  try {
    await fill(async (bytes) => {
      if (!gzip.write(bytes)) await Promise.race([once(gzip, "drain"), written]);
    });
    gzip.end();
  } catch (cause) {
    gzip.destroy();
    // What is thrown says why; that the file ends early is what was asked for.
    await written.catch(() => {});
    throw cause;
  }
  await written;
}

/** By a name of its own, since renaming would replace what another backup has put there meanwhile. */
async function putInPlace(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (cause) {
    // Not every file system has a second name for a file.
    if (!isErrno(cause, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK")) throw cause;
    await rename(temporary, path);
  }
}

/** Takes an unfinished file away where the program ends in the middle of it. */
function sweptAtExit(path: string): () => void {
  const sweep = (): void => {
    rmSync(path, { force: true });
  };
  process.once("exit", sweep);
  return () => {
    process.off("exit", sweep);
  };
}

/** The bytes of a compressed file, piece by piece. */
export function readBackupFile(path: string): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  // An error of either side is thrown where the pieces are read.
  pipeline(createReadStream(path), gunzip).catch(() => {});
  return gunzip;
}

/** By a look alone: a file made as a trial would be what a program that ends at once leaves behind. */
async function expectNone(path: string): Promise<void> {
  const found = await lstat(path).catch((cause: unknown) => {
    if (isErrno(cause, "ENOENT")) return undefined;
    throw cause;
  });
  if (found === undefined) return;
  const exists: NodeJS.ErrnoException = new Error(`${path} is there already`);
  exists.code = "EEXIST";
  throw exists;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
