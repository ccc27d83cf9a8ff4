/**
 * Installs the packed programs into an empty folder with an empty HOME, as a user would, and runs
 * the demo with them.
 *
 *   npm run smoke                              with this Node
 *   npm run smoke -- --node 22.21.0 --node 24  with others, which npm fetches
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { packAll } from "./pack.mjs";

const demo = fileURLToPath(new URL("demo/main.mjs", import.meta.url));

/** Installs and tries; throws with what npm or the demo said where one of them failed. */
export function smoke({ archives, version }) {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-smoke-"));
  try {
    const node = version === undefined ? process.execPath : fetchNode(folder, version);
    const env = environment(folder, node);
    install(env, join(folder, "programs"), archives);
    run(node, [demo, "--programs", join(folder, "programs")], { env, cwd: folder });
    return run(node, ["--version"], { env, cwd: folder }).trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A Node of another version, which npm carries as a package with its headers. */
function fetchNode(folder, version) {
  const into = join(folder, "node");
  install(environment(folder, process.execPath), into, [`node@${version}`]);
  const found = [
    join(into, `node_modules/node/node_modules/node-${process.platform}-${process.arch}/bin/node`),
    join(into, `node_modules/node-${process.platform}-${process.arch}/bin/node`),
  ].find((path) => existsSync(path));
  if (found === undefined) throw new Error(`npm has no Node ${version} for this machine`);
  return found;
}

/** Nothing of the person who runs this but the way to the registry. */
function environment(folder, node) {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const headers = join(dirname(node), "..");
  const hasHeaders = existsSync(join(headers, "include/node/node_version.h"));
  const passed = Object.entries(process.env).filter(
    ([name]) =>
      /^(?:https?|no)_proxy$|^NODE_EXTRA_CA_CERTS$|^LANG$|^TMPDIR$/i.test(name) ||
      /^npm_config_(?:registry|cafile|userconfig|globalconfig)$/i.test(name),
  );
  return {
    ...Object.fromEntries(passed),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    HOME: home,
    npm_config_cache: join(folder, "cache"),
    // Compiling SQLite wants Node's headers; where they lie beside this Node, nothing is fetched.
    ...(hasHeaders ? { npm_config_nodedir: headers } : {}),
  };
}

function install(env, into, wanted) {
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "package.json"), '{ "private": true }\n');
  const args = ["install", "--no-audit", "--no-fund", ...wanted];
  run("npm", args, { env, cwd: into, shell: process.platform === "win32" });
}

function run(command, args, options) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });
  if (status === 0) return stdout;
  throw new Error(`\`${command} ${args.join(" ")}\` failed.\n${stdout}${stderr}`, { cause: error });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { node: { type: "string", multiple: true } } });
  const out = mkdtempSync(join(tmpdir(), "tidemark-packs-"));
  try {
    const archives = packAll(out).map(({ path }) => path);
    for (const version of values.node ?? [undefined]) {
      process.stdout.write(`Node ${version ?? process.versions.node}: installing and trying …\n`);
      const started = Date.now();
      const tried = smoke({ archives, version });
      const seconds = ((Date.now() - started) / 1000).toFixed(0);
      process.stdout.write(`${tried}: the demo held every claim (${seconds} s)\n`);
    }
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
