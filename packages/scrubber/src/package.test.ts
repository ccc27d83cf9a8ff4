import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import * as scrubberPackage from "./index.ts";
import { catalog } from "./catalog.ts";
import { catalogNames } from "./catalog-names.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(`${root}README.md`, "utf8");
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  readonly private?: boolean;
  readonly license: string;
  readonly sideEffects: boolean;
  readonly dependencies?: object;
  readonly publishConfig: { readonly exports: Readonly<Record<string, object>> };
};
const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = ""]) => code);

test("[SC19] the README has two examples", () => {
  expect(examples).toHaveLength(2);
});

test.each(examples)("[SC19] an example of the README prints what it says: %#", async (code) => {
  const printed: string[] = [];
  const console = { log: (...values: unknown[]) => void printed.push(values.join(" ")) };
  const body = code.replaceAll(/^import .*$/gm, "");
  const globals = { ...scrubberPackage, createHmac, console, TransformStream };
  await runInNewContext(`(async () => {${body}})()`, globals);
  const told = [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, line = ""]) => line);
  expect(told.length).toBeGreaterThan(1);
  expect(printed.map((line) => line.replaceAll(/_[a-z2-7]{12}__/g, "_…__"))).toEqual(told);
});

test("[SC19] the README says no more kinds than there are", () => {
  const stated = /over (\d+) kinds of secrets and over (\d+) kinds of personal data/.exec(readme);
  const secrets = new Set([...catalog, ...catalogNames()].map(({ kind }) => kind));
  expect(Number(stated?.[1])).toBeLessThan(secrets.size);
  expect(Number(stated?.[1])).toBeGreaterThan(0);
  expect(Number(stated?.[2])).toBeLessThan(scrubberPackage.personalKinds().length);
});

test("[SC19] every name that the README calls an export is one", () => {
  const named = [
    ...readme.matchAll(/`(create\w+|scrubStream|personalKinds|faultsOf\w+|\w+Error)\b/g),
  ];
  expect(named.length).toBeGreaterThan(4);
  expect(named.map(([, name = ""]) => name).filter((name) => !(name in scrubberPackage))).toEqual(
    [],
  );
});

test("[SC19] the package depends on nothing, is free to publish, and ships what it needs", () => {
  expect(manifest).toMatchObject({ license: "Apache-2.0", sideEffects: false });
  expect(manifest.private).toBeUndefined();
  expect(manifest.dependencies).toBeUndefined();
  expect(existsSync(`${root}LICENSE`)).toBe(true);
  // What is published names no source that is not in it.
  expect(JSON.stringify(manifest.publishConfig.exports)).not.toContain("src/");
  const packed = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const [archive] = JSON.parse(packed.stdout) as readonly [{ files: readonly { path: string }[] }];
  const strange = archive.files
    .map(({ path }) => path)
    .filter(
      (path) => !/^(?:package\.json|README\.md|LICENSE|dist\/[\w/-]+\.(?:js|d\.ts))$/.test(path),
    );
  expect(strange).toEqual([]);
});
