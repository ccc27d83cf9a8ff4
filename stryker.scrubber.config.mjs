/**
 * Mutation tests of the scrubber's engine: what reads a text, decides what is a secret and writes
 * the placeholder. The catalogue of kinds (`rules/`) is data, and words that only name something
 * are data too: neither is mutated.
 */
export default {
  plugins: ["./test/mutants/quick/runner.mjs"],
  testRunner: "quick",
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  mutate: [
    "packages/scrubber/src/**/*.ts",
    "!packages/scrubber/src/rules/**",
    "!**/*.test.ts",
    "!**/testing/**",
  ],
  ignorePatterns: [
    "**",
    "!package.json",
    "!tsconfig*.json",
    "!{apps,packages}/*/{package,tsconfig}.json",
    "!packages/scrubber/src/**",
  ],
  thresholds: { high: 95, low: 85, break: 85 },
  concurrency: 1,
  timeoutMS: 5_000,
  tempDirName: "build/stryker-scrubber/sandbox",
  cleanTempDir: "always",
  reporters: ["progress-append-only", "clear-text", "json", "html"],
  jsonReporter: { fileName: "build/stryker-scrubber/report.json" },
  htmlReporter: { fileName: "build/stryker-scrubber/report.html" },
  clearTextReporter: { allowColor: false, logTests: false },
};
