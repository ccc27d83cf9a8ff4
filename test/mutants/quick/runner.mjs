import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import v8 from "node:v8";
import { Script } from "node:vm";
import { build } from "esbuild";
import { collectTests } from "./collect.mjs";

const require = createRequire(import.meta.url);

/** Test files that are left out: what they need is not here, or they prove the catalogue alone. */
const leftOut = /(?:^|\/)(?:package|rules\/(?:kinds|rules))\.test\.ts$/;

/** Tests that draw their texts anew in each run: what they notice is luck. */
const isDrawn = /> (?:properties|looking again|any bytes in any encoding) > /;
/** Tests of bulk take most of the time and notice what others notice sooner. */
const isBulk = /\[SC4\].* linear|commands named in the arguments/;

/**
 * Tests that are asked about a mutant beside those of its own file. Nearly all code is covered by
 * thousands: what only a further one would notice counts as not noticed.
 */
const othersMax = 300;

/** What takes long and covers everything counts for the code of its own folder alone. */
function countsFor({ file, id }, sandboxFile) {
  if (isDrawn.test(id) || isBulk.test(id)) return false;
  return !file.startsWith("stream/") || sandboxFile.includes("/stream/");
}

/**
 * Runs the scrubber's unit tests for Stryker within one process: all of them are bundled once, and
 * the bundle is evaluated anew for each mutant, so nothing that one mutant left behind (automaton
 * rows, compiled rules) is seen by the next. Vitest needs seconds for what takes milliseconds here,
 * and there are ten thousand mutants. Only what those tests use of vitest is there.
 */
class QuickRunner {
  #load;
  #ms = new Map();
  #space;

  constructor(space) {
    this.#space = globalThis[space] ??= {};
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    v8.setFlagsFromString("--no-flush-bytecode");
    const root = join(process.cwd(), "packages/scrubber/src");
    const files = readdirSync(root, { recursive: true })
      .filter((file) => file.endsWith(".test.ts") && !leftOut.test(file))
      .toSorted();
    const { outputFiles } = await build({
      stdin: {
        contents: [
          `const { begin } = require("vitest");`,
          ...files.map((file) => `begin("${file}"); require("./${file}");`),
        ].join("\n"),
        resolveDir: root,
      },
      bundle: true,
      // The package says that its files do nothing by themselves, which tests do.
      ignoreAnnotations: true,
      write: false,
      platform: "node",
      format: "cjs",
      target: "node20",
      conditions: ["source"],
      external: ["vitest", "fast-check"],
      logLevel: "error",
    });
    const code = `(function (require) {${outputFiles[0].text}\n})`;
    const evaluate = new Script(code, { filename: "scrubber-tests.js" }).runInThisContext();
    this.#load = () =>
      collectTests((vitest) =>
        evaluate((name) => (name === "vitest" ? vitest : require(name))),
      );
  }

  async dryRun() {
    this.#space.activeMutant = undefined;
    this.#space.mutantCoverage = { static: {}, perTest: {} };
    const tests = [];
    for (const test of this.#load()) {
      this.#space.currentTestId = test.id;
      const begun = performance.now();
      const failure = await failureOf(test);
      const timeSpentMs = performance.now() - begun;
      const result = { id: test.id, name: test.id, timeSpentMs };
      tests.push(
        failure === undefined
          ? { ...result, status: 0 }
          : { ...result, status: 1, failureMessage: failure },
      );
    }
    this.#space.currentTestId = undefined;
    return { status: "complete", tests, mutantCoverage: this.#space.mutantCoverage };
  }

  async mutantRun({ testFilter, activeMutant, hitLimit, mutantActivation, sandboxFileName }) {
    const space = this.#space;
    const isStatic = mutantActivation === "static";
    space.mutantCoverage = { static: {}, perTest: {} };
    space.hitCount = hitLimit === undefined ? undefined : 0;
    space.hitLimit = hitLimit;
    space.activeMutant = isStatic ? activeMutant.id : undefined;
    let nrOfTests = 0;
    try {
      const all = this.#load().filter((test) => countsFor(test, sandboxFileName));
      const wanted = testFilter === undefined ? undefined : new Set(testFilter);
      const chosen = wanted === undefined ? all : all.filter(({ id }) => wanted.has(id));
      space.activeMutant = activeMutant.id;
      for (const test of this.#quickFirst(chosen, sandboxFileName)) {
        nrOfTests++;
        const begun = performance.now();
        const failure = await failureOf(test);
        if (failure !== undefined) return killed(test.id, failure, nrOfTests);
        this.#ms.set(test.id, performance.now() - begun);
      }
    } catch (cause) {
      return killed("load", String(cause), nrOfTests);
    } finally {
      space.activeMutant = undefined;
    }
    return { status: "survived", nrOfTests };
  }

  /** Tests beside the code come first and what takes long comes last: most is noticed early. */
  #quickFirst(tests, sandboxFile) {
    const beside = sandboxFile.replace(/\.ts$/, ".test.ts");
    const isBeside = ({ file }) => beside.endsWith(`/${file}`);
    const others = spread(tests.filter((test) => !isBeside(test)));
    const msOf = ({ id }) => Math.round(this.#ms.get(id) ?? 0);
    return [...tests.filter(isBeside), ...others.toSorted((left, right) => msOf(left) - msOf(right))];
  }
}

/** At most so many, from all over a list. */
function spread(tests) {
  const step = Math.max(1, tests.length / othersMax);
  return Array.from({ length: Math.min(tests.length, othersMax) }, (_, at) => tests[Math.floor(at * step)]);
}

async function failureOf({ run }) {
  try {
    await run();
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function killed(id, failureMessage, nrOfTests) {
  return { status: "killed", killedBy: [id], failureMessage, nrOfTests };
}

function createQuickRunner(space) {
  return new QuickRunner(space);
}
createQuickRunner.inject = ["globalNamespace"];

/** Read by Stryker. */
export const strykerPlugins = [
  { kind: "TestRunner", name: "quick", factory: Object.assign(() => createQuickRunner("__stryker__"), { inject: [] }) },
];
