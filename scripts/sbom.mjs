/**
 * Writes what the programs are made of, as CycloneDX 1.6: every package that client and server
 * need when they run, with licence, hash and what it needs. Works off pnpm's lockfile and what is
 * installed, asks nobody, and gives the same bytes for the same lockfile.
 *
 *   npm run --silent sbom > sbom.json
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { neededBy, packageOf, partsOf, readLockfile } from "./lockfile.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const allPrograms = ["apps/client", "apps/server"];

/** The bill of materials of the programs, or of some of them. */
export function createSbom(programs = allPrograms) {
  const lockfile = readLockfile(join(root, "pnpm-lock.yaml"));
  const licences = installedLicences();
  const needs = new Map();
  for (const program of programs) collect(lockfile, ownEntry(lockfile, program), needs);
  const { version } = manifestOf(".");
  const components = [...needs.keys()].toSorted(byText).map((ref) => {
    const own = ownFolders.get(ref);
    return own === undefined ? component(lockfile, licences, ref) : ownComponent(own);
  });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": "tidemark", name: "tidemark", version },
    },
    components,
    dependencies: [
      { ref: "tidemark", dependsOn: programs.map((folder) => manifestOf(folder).name) },
      ...[...needs]
        .toSorted(([left], [right]) => byText(left, right))
        .map(([ref, on]) => ({ ref, dependsOn: [...on].toSorted(byText) })),
    ],
  };
}

const ownFolders = new Map(
  ["apps/client", "apps/server", "packages/protocol", "packages/scrubber"].map((folder) => [
    manifestOf(folder).name,
    folder,
  ]),
);

/** The order of code units: the same on every machine, whatever its locale. */
function byText(left, right) {
  return left < right ? -1 : 1;
}

function ownEntry(lockfile, folder) {
  return { ref: manifestOf(folder).name, entry: lockfile.get("importers").get(folder) };
}

/** Follows what an entry needs, and what that needs. */
function collect(lockfile, { ref, entry }, needs) {
  if (needs.has(ref)) return;
  const on = new Set();
  needs.set(ref, on);
  for (const { name, version, snapshot } of neededBy(entry)) {
    const isOwn = version.startsWith("link:");
    const next = isOwn
      ? ownEntry(lockfile, ownFolders.get(name))
      : { ref: packageOf(snapshot), entry: lockfile.get("snapshots").get(snapshot) };
    on.add(next.ref);
    collect(lockfile, next, needs);
  }
}

function ownComponent(folder) {
  const { name, version, license } = manifestOf(folder);
  return {
    type: folder.startsWith("apps/") ? "application" : "library",
    "bom-ref": name,
    name,
    version,
    licenses: [{ expression: license }],
  };
}

function component(lockfile, licences, id) {
  const { name, version } = partsOf(id);
  const resolution = lockfile.get("packages").get(id).get("resolution");
  const [, hash] = /integrity: sha512-([A-Za-z0-9+/=]+)/.exec(resolution);
  const licence = licences.get(id);
  return {
    type: "library",
    "bom-ref": id,
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }],
    ...(licence === undefined ? {} : { licenses: [{ expression: licence }] }),
  };
}

/** Licences by `name@version`; those of packages for other systems are not installed. */
function installedLicences() {
  const found = new Map();
  const store = join(root, "node_modules/.pnpm");
  for (const entry of existsSync(store) ? readdirSync(store) : []) {
    const folder = join(store, entry, "node_modules");
    for (const name of existsSync(folder) ? packagesIn(folder) : []) {
      const file = join(folder, name, "package.json");
      if (!existsSync(file)) continue;
      const { version, license } = JSON.parse(readFileSync(file, "utf8"));
      if (typeof license === "string") found.set(`${name}@${version}`, license);
    }
  }
  return found;
}

function packagesIn(folder) {
  return readdirSync(folder).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(folder, name)).map((own) => `${name}/${own}`) : [name],
  );
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(createSbom(), null, 2)}\n`);
}
