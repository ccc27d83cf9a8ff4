/**
 * Writes V8's code cache of the hook program: `node hook-cache.cjs <hook.cjs> <cache file>`, with
 * a payload on standard input. The program runs once, so that the cache holds the functions that a
 * hook runs and not only their outlines. `main.js` reads it; a cache of another V8 is ignored.
 */
const { readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");

const [, , program, cache] = process.argv;
const script = new Script(readFileSync(program, "latin1"), { filename: program });
process.once("exit", () => writeFileSync(cache, script.createCachedData()));
process.argv = [process.argv[0], program, "hook", "claude-code", "PostToolUse"];
script.runInThisContext()({}, require, { exports: {} }, program, path.dirname(program));
