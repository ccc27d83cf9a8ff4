import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
/** The only package with a native part: it stays where it is. */
const native = createRequire(join(root, "apps/client/package.json")).resolve("better-sqlite3");

/**
 * Puts a program that is measured or runs for long, and all that it imports, into one file. What runs
 * TypeScript as it comes names every function that is made meanwhile, which takes a tenth of the
 * time. The file may stand anywhere: it looks for things where its source does.
 */
export async function bundle(source: string, outfile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["source"],
    logLevel: "warning",
    define: {
      "import.meta.url": JSON.stringify(pathToFileURL(source).href),
      "import.meta.dirname": JSON.stringify(dirname(source)),
      "process.env.NODE_ENV": '"production"',
    },
    plugins: [
      {
        name: "native-stays",
        setup: (plugin) => {
          plugin.onResolve({ filter: /^better-sqlite3$/ }, () => ({
            path: native,
            external: true,
          }));
        },
      },
    ],
  });
}
