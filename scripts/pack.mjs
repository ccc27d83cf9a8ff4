/**
 * Packs what is published, as npm would upload it, into a folder: the two programs and the scrubber.
 *
 *   npm run release:pack                      into packs/
 *   npm run release:pack -- --out folder
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { published, stage } from "./pack/stage.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Packs all and gives each archive as npm describes it, with its `path`. */
export function packAll(out) {
  mkdirSync(out, { recursive: true });
  const into = mkdtempSync(join(tmpdir(), "tidemark-pack-"));
  try {
    return published.map((each) => packOne(stage(each, into), out));
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

function packOne(folder, out) {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", out];
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`);
  const [archive] = JSON.parse(stdout);
  return { ...archive, path: join(out, archive.filename) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: "string", default: "packs" } } });
  for (const { path, unpackedSize, entryCount } of packAll(resolve(root, values.out))) {
    const size = (unpackedSize / 1e6).toFixed(1);
    process.stdout.write(`${path}  ${entryCount} files, ${size} MB unpacked\n`);
  }
}
