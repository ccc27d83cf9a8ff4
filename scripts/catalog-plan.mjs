/**
 * Plans the scrubber's rules while a program is built, so that the program does not at each start.
 * The rules stay the one source: a rule outside the linear-safe subset fails the build.
 */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const scrubber = fileURLToPath(new URL("../packages/scrubber/src/", import.meta.url));

/** An esbuild plugin that puts the plan of the catalogue into the module that has its place. */
export const catalogPlan = {
  name: "catalog-plan",
  setup: ({ onLoad }) => {
    // The expression is read by Go, which knows no flags.
    onLoad({ filter: /[/\\]scrubber[/\\]src[/\\]catalog-plan\.ts$/ }, async () => ({
      contents: `export const catalogPlan = ${JSON.stringify(await planCatalog())};`,
      loader: "js",
    }));
  },
};

/** The plan of the catalogue, or an error that names the rule that is refused. */
export async function planCatalog() {
  const { catalog, planRules } = await loadRules();
  const plan = planRules(catalog);
  if (!plan.ok) throw new Error(`rule ${plan.error.ruleId} is refused: ${plan.error.kind}`);
  return plan.value;
}

async function loadRules() {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { catalog } from "./catalog.ts"; export { planRules } from "./compile.ts";',
      resolveDir: scrubber,
    },
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "silent",
  });
  const [{ text }] = outputFiles;
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}
