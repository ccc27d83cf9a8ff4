import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const conditions = ["source", "import", "module", "default"];
/** Vitest leaves one core alone; of two that would be half of the machine. */
const maxWorkers = Math.max(2, availableParallelism() - 1);
/** Programs under load or against a clock of their own: beside others they would see the others' load. */
const alone = ["test/chaos/**/*.test.ts", "test/program/{crowd,dashboard-map}.test.ts"];

/** Projects say what their tests need: nothing, a real PostgreSQL, or the built programs. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // What starts the tests' PostgreSQL is run by Vitest itself.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    reporters: ["default", "./scripts/summary-reporter.mjs"],
    maxWorkers,
    // A test that ends by its clock would prove the machine's speed: these end what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The provider that tests sign in by says at each start that it is none for real use.
    onConsoleLog: (text) => !/^\S*oidc-provider /.test(text),
    projects: [
      {
        extends: true,
        test: {
          name: "packages",
          include: ["packages/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**", "**/build/**"],
          // They are pure: a process for all of them reads the catalog of secrets once, not per file.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "apps/**/*.test.ts",
            "scripts/**/*.test.ts",
            "bench/**/*.test.ts",
            "test/{extraction,fuzz,integration,scenarios,simulation,mutants}/**/*.test.ts",
          ],
          exclude: ["**/*.pg.test.ts", "**/node_modules/**", "**/dist/**", "**/build/**"],
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: ["{apps,test}/**/*.pg.test.ts"],
          globalSetup: ["test/postgres/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "program",
          include: ["test/program/**/*.test.ts"],
          exclude: alone,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
