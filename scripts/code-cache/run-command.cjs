/**
 * Runs one command of the client and adds what V8 has compiled for it to its code cache:
 * `node run-command.cjs <cli.cjs> <cache file> <command …>`. Run once for each command that is to
 * start quickly, each in a process of its own, as a person does.
 */
const fs = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");
const { Script } = require("node:vm");

const [node, , program, cache, ...command] = process.argv;
const folder = path.dirname(program);
const script = new Script(fs.readFileSync(program, "latin1"), {
  filename: program,
  cachedData: fs.existsSync(cache) ? fs.readFileSync(cache) : undefined,
});
process.argv = [node, path.join(folder, "main.js"), ...command];
process.on("exit", () => {
  fs.writeFileSync(cache, script.createCachedData());
});
script.runInThisContext()({}, createRequire(program), { exports: {} }, program, folder);
