/**
 * Mutation tests of the code that decides whether a write survives: the protocol, the machine that
 * syncs, and what judges how it went. Every mutant is a small fault that the unit tests beside the
 * source must notice.
 */
export default {
  // pnpm hides sibling packages from the core, so its plugin is named.
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "test/mutants/vitest.config.ts" },
  coverageAnalysis: "perTest",
  mutate: [
    "packages/protocol/src/**/*.ts",
    "apps/client/src/sync/machine.ts",
    "apps/client/src/sync/machine/**/*.ts",
    "apps/client/src/sync/{outcome,status,last-failure}.ts",
    "apps/client/src/sync/http/retry-after.ts",
    "!**/*.test.ts",
    "!**/testing/**",
  ],
  ignorePatterns: [
    "**",
    "!package.json",
    "!tsconfig*.json",
    "!{apps,packages}/*/{package,tsconfig}.json",
    "!packages/protocol/src/**",
    "!apps/client/src/sync/**",
    "!test/mutants/vitest.config.ts",
  ],
  thresholds: { high: 95, low: 90, break: 90 },
  concurrency: 1,
  timeoutMS: 5_000,
  incremental: true,
  incrementalFile: "build/stryker/incremental.json",
  tempDirName: "build/stryker/sandbox",
  cleanTempDir: "always",
  reporters: ["progress-append-only", "clear-text", "json", "html"],
  jsonReporter: { fileName: "build/stryker/report.json" },
  htmlReporter: { fileName: "build/stryker/report.html" },
  clearTextReporter: { allowColor: false, logTests: false },
};
