/**
 * Mutation tests of the scrubber's engine: what matches tokens, reads names and judges values,
 * walks over texts and JSON, joins what was found and writes the placeholder. The catalogue is
 * data and is proved by cases of each kind. Scanners, layers and streams are run by name and are
 * not held to the score: `-- --mutate packages/scrubber/src/layers/runs.ts`.
 */
export default {
  plugins: ["./test/mutants/quick/runner.mjs"],
  testRunner: "quick",
  coverageAnalysis: "perTest",
  // Tables of words and numbers, which are made once: each would be asked of every test.
  ignoreStatic: true,
  mutate: [
    "packages/scrubber/src/{scan,spans,rewrite,rescan,widen,escapes,line-lead,value}.ts",
    "packages/scrubber/src/{compile,automaton,automaton-plan,codes,walk,pass,token-match,shape}.ts",
    "packages/scrubber/src/{judge,strength,secret-name,name-words,sibling-names,user-pair}.ts",
    "packages/scrubber/src/{scrubber,named-leaf,json-tree,json-guard,placeholder,tagger}.ts",
    "packages/scrubber/src/{checks,control}/*.ts",
    "!**/*.test.ts",
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
