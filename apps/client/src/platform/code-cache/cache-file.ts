import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * Where the cache of a program lies for a Node of this version; `hash` names the program's text,
 * since of that V8 compares no more than the length.
 */
export function cachePath(program: string, hash: string): string {
  const { version, platform, arch } = process;
  return `${program.replace(/\.cjs$/, "")}-${hash}-${version}-${platform}-${arch}.cache`;
}

/** What V8 has compiled of a program; undefined where nothing is there that this very Node made. */
export function readCache(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    const head = cacheHead();
    const isOwn = bytes.subarray(0, head.length).equals(head);
    return isOwn ? bytes.subarray(head.length + sumBytes) : undefined;
  } catch {
    // It only saves time.
    return undefined;
  }
}

/**
 * The beginning of a cache: all that decides what V8's objects look like in this Node. V8 itself
 * does not tell Node 20.19 from 20.20 nor one machine from another, and a cache that does not fit
 * ends the process (ADR 46). It fills whole words, or V8 would copy what follows.
 */
export function cacheHead(): Buffer {
  const { versions, platform, arch, config } = process;
  const text = JSON.stringify([versions, platform, arch, config.variables]);
  const bytes = Buffer.byteLength(text) + 1;
  return Buffer.from(`${text}${" ".repeat(-bytes & (wordBytes - 1))}\n`);
}

const wordBytes = 16;

/** A cache as a file: its beginning, the sum of what V8 has compiled, and that. */
export function cacheFile(compiled: Uint8Array): Buffer {
  return Buffer.concat([cacheHead(), sumLine(compiled), compiled]);
}

/**
 * Whether a cache that this very Node made is there as it was written. A program that starts does not
 * ask: to add it up costs a part of what is won.
 */
export function isCacheWhole(path: string): boolean {
  const compiled = readCache(path);
  if (compiled === undefined) return false;
  const start = cacheHead().length;
  return readFileSync(path)
    .subarray(start, start + sumBytes)
    .equals(sumLine(compiled));
}

/** Whole words too. */
const sumBytes = 5 * wordBytes;

function sumLine(compiled: Uint8Array): Buffer {
  const sum = createHash("sha256").update(compiled).digest("hex");
  return Buffer.from(`${sum.padEnd(sumBytes - 1)}\n`);
}
