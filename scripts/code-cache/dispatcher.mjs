import { cacheHead } from "./cache-head.mjs";

/**
 * All of `main.js`, from the names of both caches. It runs its programs from V8's code cache where
 * this very Node made it. Of the program V8 compares no more than the length, so a cache's name
 * follows from the text (ADR 46).
 */
export const dispatcher = ({ hook, cli }) => `#!/usr/bin/env node
"use strict";
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");
const [, , first, second] = process.argv;
const isHook = /^(?:hook|statusline)$/.test(first) && !/^(?:-h|--help)$/.test(second);
if (isHook) run("hook.cjs", "${hook}");
else run("cli.cjs", "${cli}");

function run(name, cache) {
  const filename = __dirname + "/" + name;
  const cachedData = compiledBefore(__dirname + "/" + cache);
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
  script.runInThisContext()({}, require, { exports: {} }, filename, __dirname);
}

function compiledBefore(path) {
  try {
    const bytes = readFileSync(path);
    const head = cacheHead();
    return head.equals(bytes.subarray(0, head.length)) ? bytes.subarray(head.length) : undefined;
  } catch {
    // It only saves time.
    return undefined;
  }
}

${cacheHead.toString()}
`;
