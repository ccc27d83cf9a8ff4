import { isBuiltin } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("[HK1] a hook reaches no network, so no server holds it up (abuse 181)", async () => {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, "hook.ts")],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "cjs",
    conditions: ["source"],
    external: ["better-sqlite3"],
    logLevel: "silent",
  });
  const [output] = Object.values(bundle.metafile.outputs);
  const loaded = (output?.imports ?? []).map(({ path }) => path.replace(/^node:/, ""));
  expect(loaded.filter((path) => isBuiltin(path)).length).toBeGreaterThan(0);
  const network = /^(?:https?|http2|net|tls|dgram|dns|inspector|worker_threads)(?:\/|$)/;
  expect(loaded.filter((path) => network.test(path))).toEqual([]);
  const [file] = bundle.outputFiles;
  const asked = /getBuiltinModule\("node:([\w/]+)"\)/g;
  const named = [...(file?.text ?? "").matchAll(asked)].map(([, name = ""]) => name);
  expect(named.filter((name) => network.test(name))).toEqual([]);
  expect(file?.text).not.toMatch(/\bfetch\(|new WebSocket\(|new EventSource\(/);
});
