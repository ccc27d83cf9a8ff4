import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

const ofVitest = createRequire(createRequire(import.meta.url).resolve("vitest/package.json"));
/** The matchers of vitest are a package of their own, which it brings along. */
const matchers = await import(pathToFileURL(ofVitest.resolve("@vitest/expect")).href);
matchers.chai.use(matchers.JestExtend);
matchers.chai.use(matchers.JestChaiExpect);
matchers.chai.use(matchers.JestAsymmetricMatchers);
const expect = Object.assign(
  (value, message) => matchers.chai.expect(value, message),
  matchers.chai.expect,
  globalThis[matchers.ASYMMETRIC_MATCHERS_OBJECT],
);

/**
 * Gives the tests that a file defines when it is evaluated with the `vitest` it is handed. A test's
 * id is its file and its title, with a number where one title stands for several.
 */
export function collectTests(file, evaluate) {
  const tests = [];
  const countByTitle = new Map();
  const titles = [file];
  const test = (title, run) => {
    const whole = [...titles, title].join(" > ");
    const count = (countByTitle.get(whole) ?? 0) + 1;
    countByTitle.set(whole, count);
    tests.push({ id: count === 1 ? whole : `${whole} (${count})`, run });
  };
  const describe = (title, define) => {
    titles.push(title);
    define();
    titles.pop();
  };
  evaluate({ expect, test: withEach(test), describe: withEach(describe) });
  return tests;
}

function withEach(define) {
  const each = (rows) => (title, run) => {
    for (const row of rows) {
      const values = Array.isArray(row) ? row : [row];
      define(titleOf(title, values), () => run(...values));
    }
  };
  return Object.assign(define, { each });
}

/** The title of a row: as many values as it has places for. */
function titleOf(title, values) {
  const places = title.match(/%[a-z]/g)?.length ?? 0;
  return format(title, ...values.slice(0, places));
}
