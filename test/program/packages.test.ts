import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Archive, packAll } from "../../scripts/pack.mjs";
import { smoke } from "../../scripts/smoke.mjs";

const folder = mkdtempSync(join(tmpdir(), "tidemark-packages-"));
let archives: readonly Archive[] = [];

beforeAll(() => {
  archives = packAll(folder);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function named(name: string): Archive {
  const found = archives.find((archive) => archive.name === `@tidemark/${name}`);
  if (found === undefined) throw new Error(`${name} is not packed`);
  return found;
}

test("[RL1] the programs and the scrubber are published, and nothing else", () => {
  expect(archives.map(({ name }) => name)).toEqual([
    "@tidemark/client",
    "@tidemark/server",
    "@tidemark/scrubber",
  ]);
  expect(new Set(archives.map(({ version }) => version)).size).toBe(1);
});

test.each(["client", "server", "scrubber"])(
  "[RL1] a linter of packages has nothing to say of %s",
  async (name) => {
    const bytes = readFileSync(named(name).path);
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const { messages } = await publint({ pack: { tarball }, strict: true });
    expect(messages).toEqual([]);
  },
);

test("[RL1] a program holds its bundle, its licences and no source", () => {
  const allowed =
    /^(?:README\.md|LICENSE|THIRD-PARTY-NOTICES|package\.json|dist\/(?:main\.js|package\.json|(?:hook|cli|caches)\.cjs|(?:hook|cli)-[0-9a-f]{16}-v[\d.]+-\w+-\w+\.cache|keychain\.mjs|page-reader\.cjs|secret-look\.js))$/;
  for (const name of ["client", "server"]) {
    const paths = named(name).files.map(({ path }) => path);
    expect(paths).toContain("THIRD-PARTY-NOTICES");
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
  }
  // The thread that reads the pages of a long pull, and the one that looks for secrets in long pushes:
  // without them one thread does all of that.
  expect(named("client").files.map(({ path }) => path)).toContain("dist/page-reader.cjs");
  expect(named("server").files.map(({ path }) => path)).toContain("dist/secret-look.js");
});

test.each(["client", "server", "scrubber"])(
  "[OPS75] what is packed of %s runs nothing when it is installed (abuse 184)",
  (name) => {
    const tarball = createPackageFromTarballData(new Uint8Array(readFileSync(named(name).path)));
    const manifest = tarball.readFile(`/node_modules/@tidemark/${name}/package.json`);
    const { scripts = {} } = JSON.parse(manifest) as { scripts?: Record<string, string> };
    const hooks = Object.keys(scripts).filter((each) =>
      /^(?:pre|post)?install$|^prepare/.test(each),
    );
    expect(hooks).toEqual([]);
  },
);

test("[RL1] types of the scrubber are found wherever an ES module can be imported", async () => {
  const bytes = new Uint8Array(readFileSync(named("scrubber").path));
  const checked = await checkPackage(createPackageFromTarballData(bytes));
  const problems = "problems" in checked ? checked.problems : ["no types"];
  // Whoever requires it, or resolves as Node 10 did, is told so by its `exports`.
  const older = new Set(["node10", "node16-cjs"]);
  const left = problems.filter(
    (each) =>
      typeof each === "string" || !("resolutionKind" in each) || !older.has(each.resolutionKind),
  );
  expect(left).toEqual([]);
});

test(
  "[RL2] installed from their archives into an empty folder with an empty HOME, the programs hold the demo's claims",
  { timeout: 600_000 },
  () => {
    const paths = archives.map(({ path }) => path);
    expect(smoke({ archives: paths, version: undefined })).toBe(process.version);
  },
);
