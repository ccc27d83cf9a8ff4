import { readFileSync, writeFileSync } from "node:fs";
import fs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { cacheFile, readCache } from "./cache-file.ts";

/**
 * Runs one command of the client and adds what V8 has compiled for it to its cache. Once for each
 * command that is to start quickly, each in a process of its own, as a person does.
 */
export function runCommand(program: string, cache: string, command: readonly string[]): void {
  const cachedData = readCache(cache);
  const script = new Script(readFileSync(program, "utf8"), {
    filename: program,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  process.argv = [process.execPath, join(dirname(program), "main.js"), ...command];
  process.on("exit", () => {
    writeCache(cache, script);
  });
  start(script, program);
}

/**
 * Runs the hook program with payloads, one a line on standard input. It runs once for each, so that
 * the cache holds the functions that a hook runs and not only their outlines.
 */
export function runHook(program: string, cache: string): void {
  const script = new Script(readFileSync(program, "utf8"), { filename: program });
  const payloads = readFileSync(0, "utf8").split("\n");
  // The program reads standard input by itself and ends the process.
  let waiting = Buffer.alloc(0);
  Object.assign(fs, {
    readSync: (_file: number, into: Buffer): number => {
      const count = waiting.copy(into);
      waiting = waiting.subarray(count);
      return count;
    },
  });
  Object.assign(process, { exit: () => undefined });
  for (const payload of payloads) {
    waiting = Buffer.from(payload);
    const { hook_event_name: event } = JSON.parse(payload) as { readonly hook_event_name: string };
    process.argv = [process.execPath, program, "hook", "claude-code", event];
    start(script, program);
  }
  writeCache(cache, script);
}

type Wrapped = (...given: readonly unknown[]) => void;

function start(script: Script, program: string): void {
  const run = script.runInThisContext() as Wrapped;
  run({}, createRequire(program), { exports: {} }, program, dirname(program));
}

function writeCache(path: string, script: Script): void {
  writeFileSync(path, cacheFile(script.createCachedData()));
}
