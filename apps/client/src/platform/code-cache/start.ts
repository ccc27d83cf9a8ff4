/**
 * All of `main.js`: it looks at its first argument and runs one of two programs, each from what V8
 * has compiled of it before, where this very Node did (ADR 46, ADR 48). A hook must not pay for the
 * command line.
 */
import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { cachePath, readCache } from "./cache-file.ts";

declare const __dirname: string;
declare const require: NodeJS.Require;
/** By the build: what names the texts of the two programs. */
declare const textHashes: { readonly hook: string; readonly cli: string };

const [, , first = "", second = ""] = process.argv;
const isHook = /^(?:hook|statusline)$/.test(first) && !/^(?:-h|--help)$/.test(second);
const kind = isHook ? "hook" : "cli";
const filename = `${__dirname}/${kind}.cjs`;
// What looks after the caches has to run where one of them is damaged, whatever options come first.
const isMending = process.argv.includes("install") || process.argv.includes("doctor");
const cachedData = isMending ? undefined : readCache(cachePath(filename, textHashes[kind]));
const script = new Script(readFileSync(filename, "utf8"), {
  filename,
  ...(cachedData === undefined ? {} : { cachedData }),
});
const run = script.runInThisContext() as (...given: readonly unknown[]) => void;
run({}, require, { exports: {} }, filename, __dirname);
