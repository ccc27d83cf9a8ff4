/**
 * Writes V8's code cache of the hook program: `node run-hook.cjs <hook.cjs> <cache file>`, with
 * payloads on standard input, one a line. The program runs once for each, so that the cache holds
 * the functions that a hook runs and not only their outlines. `main.js` reads it on the Node that
 * runs this.
 */
const fs = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");

const [node, , program, cache] = process.argv;
const script = new Script(fs.readFileSync(program, "latin1"), { filename: program });
const payloads = fs.readFileSync(0, "utf8").split("\n");
// The program reads standard input by itself and ends the process.
let waiting = Buffer.alloc(0);
fs.readSync = (_file, into) => {
  const count = waiting.copy(into);
  waiting = waiting.subarray(count);
  return count;
};
process.exit = () => undefined;
for (const payload of payloads) {
  waiting = Buffer.from(payload);
  process.argv = [node, program, "hook", "claude-code", JSON.parse(payload).hook_event_name];
  script.runInThisContext()({}, require, { exports: {} }, program, path.dirname(program));
}
fs.writeFileSync(cache, script.createCachedData());
