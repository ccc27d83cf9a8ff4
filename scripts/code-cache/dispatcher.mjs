/**
 * All of `main.js`, from the names of both caches. It runs its programs from V8's code cache where
 * this very Node made it: V8 itself does not tell Node 20.19 from 20.20 nor one machine from another,
 * and a cache that does not fit ends the process. Of the program it compares no more than the length,
 * so a cache's name follows from the text (ADR 46).
 */
export const dispatcher = ({ hook, cli }) => `#!/usr/bin/env node
"use strict";
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");
const madeBy = ${JSON.stringify(thisNode())};
const [, , first, second] = process.argv;
const isHook = /^(?:hook|statusline)$/.test(first) && !/^(?:-h|--help)$/.test(second);
if (isHook) run("hook.cjs", "${hook}");
else run("cli.cjs", "${cli}");

function run(name, cache) {
  const filename = __dirname + "/" + name;
  const cachedData = thisNode() === madeBy ? bytesOf(__dirname + "/" + cache) : undefined;
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
  script.runInThisContext()({}, require, { exports: {} }, filename, __dirname);
}

function bytesOf(path) {
  try {
    return readFileSync(path);
  } catch {
    // It only saves time.
    return undefined;
  }
}

${thisNode.toString()}
`;

/** All that decides what V8's objects look like in this Node. */
function thisNode() {
  const { versions, platform, arch, config } = process;
  return JSON.stringify([versions, platform, arch, config.variables]);
}
