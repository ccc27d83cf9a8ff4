import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const conditions = ["source", "import", "module", "default"];
/** Vitest leaves one core alone; of two that would be half of the machine. */
const maxWorkers = Math.max(2, availableParallelism() - 1);

/** Projects say what their tests need: nothing, a real PostgreSQL, or the built programs. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", "./scripts/summary-reporter.mjs"],
    maxWorkers,
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
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "program",
          include: ["test/{program,chaos}/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
