import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { build, stop } from "esbuild";
import { collectTests } from "./collect.mjs";

const require = createRequire(import.meta.url);

/** What Stryker writes into code: whether a mutant is active, and that some were met. */
const asked = /stryMutAct_9fa48\d*\("(\d+)"\)/g;
const counted = /stryCov_9fa48\d*\(((?:"\d+"(?:, ?)?)+)\)/g;

/** What the package is, and that each kind of the catalogue is found, are no tests of the engine. */
const leftOut = /(?:^|\/)(?:package|rules\/(?:kinds|rules))\.test\.ts$/;
/** Tests that draw their texts anew in each run: what they notice is luck. */
const isDrawn = /> (?:properties|looking again|any bytes in any encoding) > /;
/** Tests of bulk take most of the time and notice what others notice sooner. */
const isBulk = /\[SC4\].* linear|commands named in the arguments/;

/**
 * Tests that are asked about a mutant beside those of its own file or folder. Nearly all code is
 * covered by thousands: what only a further one would notice counts as not noticed.
 */
const othersMax = 120;

/**
 * Runs the scrubber's unit tests for Stryker within one process: all of them are bundled once, and
 * the bundle is evaluated anew for each mutant, so nothing that one mutant left behind (automaton
 * rows, compiled rules) is seen by the next. Vitest needs seconds for what takes milliseconds here,
 * and there are thousands of mutants. Only what those tests use of vitest is there.
 */
class QuickRunner {
  #files = [];
  /** Evaluates the bundle with counts of what is met, or with one mutant active. */
  #counting;
  #mutated;
  #mutantsMax = 0;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const root = join(process.cwd(), "packages/scrubber/src");
    this.#files = readdirSync(root, { recursive: true })
      .filter((file) => file.endsWith(".test.ts") && !leftOut.test(file))
      .toSorted((left, right) => (left < right ? -1 : 1));
    const entries = this.#files.map((file) => `"${file}": () => require("./${file}"),`);
    const { outputFiles } = await build({
      stdin: { contents: `module.exports = {\n${entries.join("\n")}\n};`, resolveDir: root },
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
    await stop();
    // Stryker asks and counts at every expression: in the innermost loops a call is too much.
    const code = outputFiles[0].text;
    this.#counting = evaluatorOf(
      code
        .replace(asked, "false")
        .replace(counted, (_, ids) => `(${ids.replace(/"(\d+)"/g, "counts[$1]++")})`),
    );
    this.#mutated = evaluatorOf(
      code.replace(asked, "(active === $1 && isHit())").replace(counted, "0"),
    );
    this.#mutantsMax = Math.max(0, ...[...code.matchAll(asked)].map(([, id]) => Number(id) + 1));
  }

  async dryRun() {
    const counts = new Float64Array(this.#mutantsMax);
    const testsOf = opened(this.#counting, { counts });
    const all = this.#files.flatMap((file) => testsOf(file));
    const coverage = { static: taken(counts), perTest: {} };
    const tests = [];
    for (const test of all) {
      if (isDrawn.test(test.id) || isBulk.test(test.id)) continue;
      const begun = performance.now();
      const failure = await failureOf(test);
      const timeSpentMs = performance.now() - begun;
      coverage.perTest[test.id] = taken(counts);
      const result = { id: test.id, name: test.id, timeSpentMs };
      tests.push(
        failure === undefined
          ? { ...result, status: 0 }
          : { ...result, status: 1, failureMessage: failure },
      );
    }
    return { status: "complete", tests, mutantCoverage: coverage };
  }

  async mutantRun({ testFilter, activeMutant, hitLimit = Infinity, sandboxFileName }) {
    let hits = 0;
    const isHit = () => {
      if (++hits > hitLimit) throw new Error("the mutant does not end");
      return true;
    };
    const testsOf = opened(this.#mutated, { active: Number(activeMutant.id), isHit });
    let nrOfTests = 0;
    for (const [file, ids] of chosen(testFilter, sandboxFileName)) {
      // A test may build what it looks at where it is defined.
      const defined = { id: [...ids][0], run: () => tests.push(...testsOf(file)) };
      const tests = [defined];
      for (const test of tests) {
        if (!ids.has(test.id)) continue;
        nrOfTests++;
        const failure = await failureOf(test);
        if (failure === undefined) continue;
        return { status: "killed", killedBy: [test.id], failureMessage: failure, nrOfTests };
      }
    }
    return { status: "survived", nrOfTests };
  }
}

function evaluatorOf(code) {
  const whole = `(function (require, module, { counts, active, isHit }) {${code}\n})`;
  return new Script(whole, { filename: "scrubber-tests.js" }).runInThisContext();
}

/** Evaluates the code anew, and gives what gives the tests of a file. */
function opened(evaluate, state) {
  const module = { exports: {} };
  let vitest;
  const load = (name) => (name === "vitest" ? vitest : require(name));
  return (file) =>
    collectTests(file, (given) => {
      vitest = vitest === undefined ? given : Object.assign(vitest, given);
      if (module.exports[file] === undefined) evaluate(load, module, state);
      module.exports[file]();
    });
}

/** The ids of tests to run by their file: those beside the mutated file first, then some others. */
function chosen(ids, sandboxFile) {
  const own = sandboxFile.replace(/^.*\/src\//, "").replace(/\.ts$/, ".test.ts");
  const folder = folderOf(own);
  // The root and the scanners have too many tests for all of them to be asked.
  const isNear = folder !== "" && folder !== "scanners";
  const isBeside = (id) => fileOf(id) === own || (isNear && folderOf(fileOf(id)) === folder);
  // What takes long and covers everything counts for the code of its own folder alone.
  const isOther = (id) => !isBeside(id) && folderOf(fileOf(id)) !== "stream";
  const byFile = new Map();
  for (const id of [...ids.filter(isBeside), ...spread(ids.filter(isOther))]) {
    const file = fileOf(id);
    byFile.set(file, (byFile.get(file) ?? new Set()).add(id));
  }
  return byFile;
}

function folderOf(file) {
  return file.slice(0, Math.max(0, file.lastIndexOf("/")));
}

function fileOf(id) {
  return id.slice(0, id.indexOf(" > "));
}

/** At most so many, from all over a list. */
function spread(ids) {
  const count = Math.min(ids.length, othersMax);
  return Array.from({ length: count }, (_, at) => ids[Math.floor((at * ids.length) / count)]);
}

/** Takes the counts that are not zero, and sets them to zero. */
function taken(counts) {
  const met = {};
  for (let id = 0; id < counts.length; id++) {
    if (counts[id] === 0) continue;
    met[id] = counts[id];
    counts[id] = 0;
  }
  return met;
}

async function failureOf({ run }) {
  try {
    await run();
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

const createQuickRunner = Object.assign(() => new QuickRunner(), { inject: [] });

/** Read by Stryker. */
export const strykerPlugins = [{ kind: "TestRunner", name: "quick", factory: createQuickRunner }];
