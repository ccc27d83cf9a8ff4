/**
 * Packs the scrubber's rules while a program is built, so that the program neither plans them at
 * each start nor makes those that it does not meet. The rules stay the one source: a rule outside
 * the linear-safe subset fails the build, and so does one that calls what no module exports.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const scrubber = fileURLToPath(new URL("../packages/scrubber/src/", import.meta.url));

/** An esbuild plugin that puts the packed catalogue in the place of the modules that make it. */
export const packedCatalog = {
  name: "packed-catalog",
  setup: ({ onLoad }) => {
    let modules;
    // The expression is read by Go, which knows no flags.
    onLoad({ filter: /[/\\]scrubber[/\\]src[/\\]catalog-names\.ts$/ }, async () => {
      modules ??= packCatalog();
      return { contents: (await modules).names, loader: "js", resolveDir: scrubber };
    });
    onLoad({ filter: /[/\\]scrubber[/\\]src[/\\]compiled-catalog\.ts$/ }, async () => {
      modules ??= packCatalog();
      return { contents: (await modules).rules, loader: "js", resolveDir: scrubber };
    });
  },
};

/** The two modules as texts, and what they hold, for tests. */
export async function packCatalog() {
  const { catalog, planRules, catalogNames, packRules, packNames, vendorWords, modules } =
    await loadCatalog();
  const plan = planRules(catalog);
  if (!plan.ok) throw new Error(`rule ${plan.error.ruleId} is refused: ${plan.error.kind}`);
  const called = new Map();
  const numberOf = (use, rule) => {
    if (!called.has(use)) called.set(use, { number: called.size, ...exportOf(modules, use, rule) });
    return called.get(use).number;
  };
  const packed = packRules(catalog, numberOf);
  const names = packNames(catalogNames());
  return {
    packed: { ...packed, plan: plan.value, functions: [...called.keys()] },
    packedNames: names,
    rules: rulesModule({ ...packed, plan: plan.value, called: [...called.values()] }),
    names: namesModule(names, vendorWords()),
  };
}

function exportOf(modules, use, rule) {
  for (const [path, exported] of Object.entries(modules)) {
    const name = Object.keys(exported).find((each) => exported[each] === use);
    if (name !== undefined) return { path, name };
  }
  throw new Error(`rule ${rule.id} calls a function that no scanner or check exports`);
}

function rulesModule({ texts, starts, plan, called }) {
  const imports = called.map(
    ({ number, path, name }) => `import { ${name} as call${number} } from ${JSON.stringify(path)};`,
  );
  return `${imports.join("\n")}
import { openPackedRules } from "./packed-rules.ts";
let opened;
export const compiledCatalog = () => opened ??= openPackedRules({
  texts: ${JSON.stringify(texts)},
  starts: ${JSON.stringify(starts)},
  plan: ${JSON.stringify(plan)},
  functions: [${called.map(({ number }) => `call${number}`).join(", ")}],
});`;
}

function namesModule(names, vendors) {
  return `import { unpackNames } from "./packed-rules.ts";
export const catalogNames = () => unpackNames(${JSON.stringify(names)});
export const vendorWords = () => ${JSON.stringify(vendors)};`;
}

/** The rules as they are, with the modules whose functions they call. */
async function loadCatalog() {
  const paths = ["scanners", "checks"].flatMap((folder) =>
    readdirSync(join(scrubber, folder))
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => `./${relative(scrubber, join(scrubber, folder, name))}`),
  );
  const { outputFiles } = await build({
    stdin: {
      contents: [
        'export { catalog } from "./catalog.ts";',
        'export { catalogNames, vendorWords } from "./catalog-names.ts";',
        'export { planRules } from "./compile.ts";',
        'export { packNames, packRules } from "./packed-rules.ts";',
        ...paths.map((path, number) => `import * as module${number} from ${JSON.stringify(path)};`),
        `export const modules = { ${paths.map((path, number) => `${JSON.stringify(path)}: module${number}`).join(", ")} };`,
      ].join("\n"),
      resolveDir: scrubber,
    },
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "silent",
  });
  const folder = mkdtempSync(join(tmpdir(), "tidemark-catalog-"));
  try {
    const file = join(folder, "catalog.mjs");
    writeFileSync(file, outputFiles[0].contents);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
