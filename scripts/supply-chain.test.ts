import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { neededBy, packageOf, partsOf, readLockfile } from "./lockfile.mjs";
import { createSbom } from "./sbom.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const lockfile = readLockfile(join(root, "pnpm-lock.yaml"));
const packages: Map<string, Map<string, string>> = lockfile.get("packages");
const settings = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
const scrubber = join(root, "packages/scrubber");

/** The entries of a list in the settings. */
function listed(name: string): readonly string[] {
  const [, list = ""] = new RegExp(`^${name}:\\n((?:  - .+\\n)*)`, "m").exec(settings) ?? [];
  return [...list.matchAll(/- "?([^"\n]+)"?/g)].map(([, entry = ""]) => entry);
}

test("[OPS75] every package comes from the registry, by the hash of its tarball (abuse 184)", () => {
  expect(packages.size).toBeGreaterThan(300);
  const odd = [...packages].filter(([id, entry]) => {
    const isPlain = /^(?:@[a-z0-9-]+\/)?[\w.-]+@\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(id);
    const isHashed = /^\{integrity: sha512-[A-Za-z0-9+/]{86}==\}$/.test(
      entry.get("resolution") ?? "",
    );
    return !isPlain || !isHashed;
  });
  expect(odd.map(([id]) => id)).toEqual([]);
});

test("[OPS75] a lockfile with a line that pnpm does not write is not read past it", () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-lockfile-"));
  const file = join(folder, "pnpm-lock.yaml");
  const read = (text: string): unknown => {
    writeFileSync(file, text);
    return Object.fromEntries(readLockfile(file));
  };
  try {
    expect(read("a:\n\n  'b@1.0.0':\n    resolution: {integrity: x}\n  c: {}\nd: 'e'\n")).toEqual({
      a: new Map<string, unknown>([
        ["b@1.0.0", new Map([["resolution", "{integrity: x}"]])],
        ["c", new Map()],
      ]),
      d: "e",
    });
    for (const text of ["a:\n? b\n", "a: 1\na: 2\n", "a:\n  'b\n", "- a\n", "{a: b}\n"])
      expect(() => read(text)).toThrow(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("[OPS75] what stands in the lockfile is all that anything needs (abuse 184)", () => {
  const own = /^link:\.\.\/\.\.\/packages\/(?:protocol|scrubber)$/;
  const entries = [...lockfile.get("importers").values(), ...lockfile.get("snapshots").values()];
  const strange = entries
    .flatMap((entry) => neededBy(entry))
    .filter(({ version, snapshot }) => !own.test(version) && !packages.has(packageOf(snapshot)));
  expect(strange).toEqual([]);
});

test("[OPS75] manifests name exact versions, so that an update is seen (abuse 185)", () => {
  for (const folder of [
    "",
    "apps/client",
    "apps/server",
    "packages/protocol",
    "packages/scrubber",
  ]) {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Record<
      string,
      Record<string, string> | undefined
    >;
    const wanted = { ...manifest["dependencies"], ...manifest["devDependencies"] };
    const loose = Object.entries(wanted).filter(
      ([, version]) => !/^(?:\d+\.\d+\.\d+(?:-[\w.]+)?|catalog:|workspace:\*)$/.test(version),
    );
    expect(loose).toEqual([]);
  }
  const catalog = [
    ...(/^catalog:\n((?:  .+\n)*)/m.exec(settings)?.[1] ?? "").matchAll(/: (.+)\n/g),
  ];
  expect(catalog.length).toBeGreaterThan(10);
  for (const [, version] of catalog) expect(version).toMatch(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
});

test("[OPS75] a package is a week old before it is taken, and none comes by another way (abuse 185)", () => {
  expect(settings).toMatch(/^minimumReleaseAge: 10080$/m);
  expect(settings).not.toMatch(/^minimumReleaseAgeExclude:/m);
  expect(settings).toMatch(/^blockExoticSubdeps: true$/m);
});

test("[OPS75] a package that nobody has looked at is not taken, and none is kept on the list (abuse 185)", () => {
  const [, running = "", building = ""] = readFileSync(
    join(root, "docs/packages.md"),
    "utf8",
  ).split(/^## .*$/m);
  const namesIn = (text: string): readonly string[] =>
    [...text.matchAll(/^- (\S+)$/gm)].map(([, name = ""]) => name);
  const locked = new Set([...packages.keys()].map((id) => partsOf(id).name));
  const shipped = createSbom()
    .components.map((component) => partsOf(component["bom-ref"]).name)
    .filter((name) => locked.has(name));
  expect(new Set(namesIn(running))).toEqual(new Set(shipped));
  const rest = [...locked].filter((name) => !shipped.includes(name));
  expect(new Set(namesIn(building))).toEqual(new Set(rest));
});

test("[OPS75] only what is named runs a script when it is installed (abuse 184)", () => {
  const known = new Set([
    ...listed("onlyBuiltDependencies"),
    ...listed("ignoredBuiltDependencies"),
  ]);
  expect(known.size).toBeGreaterThan(5);
  const store = join(root, "node_modules/.pnpm");
  const manifests = readdirSync(store).flatMap((entry) => {
    // The name that the entry is made for; what stands beside it are links.
    const name = partsOf(entry.replaceAll("+", "/").replace(/_.*$/, "")).name;
    const file = join(store, entry, "node_modules", name, "package.json");
    return existsSync(file) ? [{ name, file }] : [];
  });
  expect(manifests.length).toBeGreaterThan(300);
  const running = manifests.filter(({ file }) => {
    const { scripts = {} } = JSON.parse(readFileSync(file, "utf8")) as { scripts?: object };
    const runs = ["preinstall", "install", "postinstall"].some((name) => name in scripts);
    return runs || existsSync(file.replace(/package\.json$/, "binding.gyp"));
  });
  expect(running.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
});

test("[OPS75] what we publish runs nothing when it is installed (abuse 184)", () => {
  for (const folder of [
    "",
    "apps/client",
    "apps/server",
    "packages/protocol",
    "packages/scrubber",
  ]) {
    const { scripts = {} } = JSON.parse(
      readFileSync(join(root, folder, "package.json"), "utf8"),
    ) as { scripts?: Record<string, string> };
    const hooks = Object.keys(scripts).filter((name) =>
      /^(?:pre|post)?(?:install|pack|publish|prepare)/.test(name),
    );
    expect(hooks).toEqual([]);
  }
});

test("[OPS75] the published package holds its compiled sources and nothing else (abuse 184)", () => {
  const archive = packScrubber();
  const compiled = sourcesIn("src").flatMap((path) => {
    const stem = path.replace(/^src\//, "dist/").replace(/\.ts$/, "");
    return [`${stem}.js`, `${stem}.d.ts`];
  });
  const files = archive.files.map(({ path }) => path);
  expect(files.toSorted()).toEqual(
    [...compiled, "LICENSE", "README.md", "package.json"].toSorted(),
  );
  // A jump in size is looked at by a person, who then changes the number.
  expect(archive.unpackedSize).toBeGreaterThan(publishedBytes * 0.8);
  expect(archive.unpackedSize).toBeLessThan(publishedBytes * 1.2);
  expect(archive.opened).toEqual([]);
});

test("[OPS75] what opens a connection or starts a program at import is seen (abuse 184)", () => {
  const opening = [
    'import net from "node:net"; net.connect(9, "127.0.0.1").on("error", () => undefined);',
    'import dns from "node:dns"; dns.lookup("localhost", () => undefined);',
    'import dgram from "node:dgram"; dgram.createSocket("udp4").close();',
    'import child from "node:child_process"; child.spawn("true");',
    'await fetch("http://127.0.0.1:9/").catch(() => undefined);',
  ];
  for (const code of opening)
    expect(openedBy(`data:text/javascript,${encodeURIComponent(code)}`)).not.toEqual([]);
  expect(openedBy("data:text/javascript,export {}")).toEqual([]);
});

/** What a module opens while it is imported: handles of the network and of child processes. */
function openedBy(specifier: string): readonly string[] {
  const code = `
    import { createHook } from "node:async_hooks";
    const seen = new Set();
    const odd = /^(?:TCP|UDP|PIPE|TLS|PROCESS|HTTP|GETADDRINFO|GETNAMEINFO|QUERY|DNS)/;
    createHook({ init: (_, type) => void (odd.test(type) && seen.add(type)) }).enable();
    await import(${JSON.stringify(specifier)});
    const { writeFileSync } = await import("node:fs");
    writeFileSync(1, JSON.stringify([...seen]));
    process.exit(0);`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
  });
  expect(ran.stderr).toBe("");
  return JSON.parse(ran.stdout) as readonly string[];
}

/** Bytes of what is published, at the last look. */
const publishedBytes = 780_000;

interface Archive {
  readonly files: readonly { readonly path: string }[];
  readonly unpackedSize: number;
  /** What importing it opens. */
  readonly opened: readonly string[];
}

/** Compiles the package into a folder of its own, and lists what would be published from there. */
function packScrubber(): Archive {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-pack-"));
  try {
    for (const name of ["package.json", "README.md", "LICENSE"])
      copyFileSync(join(scrubber, name), join(folder, name));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const dist = join(folder, "dist");
    const output = ["--noCheck", "--outDir", dist, "--tsBuildInfoFile", join(dist, ".tsbuildinfo")];
    const compiled = spawnSync(process.execPath, [compiler, "-p", scrubber, ...output]);
    expect(compiled.status).toBe(0);
    const packed = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: folder,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    const [archive] = JSON.parse(packed.stdout) as readonly [Omit<Archive, "opened">];
    const opened = importsOf(folder).flatMap((path) => openedBy(pathToFileURL(path).href));
    return { ...archive, opened };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files that the package lets others import. */
function importsOf(folder: string): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly default: string }>>;
  };
  const paths = Object.values(exports).map((entry) => join(folder, entry.default));
  expect(paths.length).toBeGreaterThan(0);
  return paths;
}

test("[OPS76] the bill of materials names all that the programs need, each with its hash", () => {
  const sbom = createSbom();
  expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
  const refs = sbom.components.map((component) => component["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  for (const name of ["hono", "jose", "better-sqlite3", "postgres", "zod"]) {
    expect(refs.filter((ref) => ref.startsWith(`${name}@`))).toHaveLength(1);
  }
  expect(refs).toContain("@tidemark/scrubber");
  expect(refs.some((ref) => /^(?:vitest|oxlint|typescript)@/.test(ref))).toBe(false);
  for (const component of sbom.components) {
    if (component.name.startsWith("@tidemark/")) continue;
    expect(component.purl).toMatch(/^pkg:npm\/(?:%40[\w-]+\/)?[\w.-]+@\d/);
    expect(component.hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
  }
  const known = new Set(["tidemark", ...refs]);
  const named = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
  expect(named.filter((ref) => !known.has(ref))).toEqual([]);
  expect(new Set(named)).toEqual(known);
  expect(JSON.stringify(createSbom())).toBe(JSON.stringify(sbom));
});

test("[OPS76] every licence that is shipped is one that may be", () => {
  const may =
    /^(?:MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|Unlicense|PostgreSQL|\(.+ OR .+\))$/;
  const odd = createSbom().components.flatMap(({ name, licenses = [] }) =>
    licenses
      .filter(({ expression }) => !may.test(expression))
      .map(({ expression }) => [name, expression]),
  );
  expect(odd).toEqual([]);
});

/** The sources of the package, as paths in it, without tests. */
function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(scrubber, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (path === "src/testing") return [];
    if (entry.isDirectory()) return sourcesIn(path);
    return entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts") ? [path] : [];
  });
}
