import { expect, test } from "vitest";
import type { Draft } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { extract } from "../extract.ts";
import { bash, edit, extractAll, failed, multiEdit, titles } from "../testing/session-events.ts";

test("[CP13] a fix names the error, what was changed after it and what did not help", () => {
  const events = [
    failed("npm test -- url.test.ts", "Exit code 1\nTypeError: Invalid URL"),
    edit("src/a.ts", "const depth = 1;", "const depth = 2;"),
    failed("npm test -- url.test.ts", "Exit code 1\nTypeError: Invalid URL"),
    edit("src/url.ts", "return text", "return new URL(text)"),
    bash("npm test 2>&1", "Tests: 3 passed, 3 total"),
  ];
  const fixes = extractAll(events).filter((draft) => draft.kind === "fix");
  expect(fixes).toHaveLength(1);
  expect(fixes[0]).toMatchObject({
    title: "TypeError: Invalid URL fixed by changing src/url.ts",
    filesModified: ["src/url.ts"],
    facts: [
      "Error: TypeError: Invalid URL",
      "Done: Edited src/url.ts: return new URL(text)",
      "Did not help: Changed depth in src/a.ts",
    ],
  });
});

test("[CP13] a pass without changes, of fewer tests or told twice is no fix", () => {
  const error = "Exit code 1\nTypeError: no";
  const fixes = (...events: readonly AgentEvent[]): number =>
    extractAll(events).filter((draft) => draft.kind === "fix").length;
  const change = (): AgentEvent => edit("src/a.ts", "let a = 1", "let a = 2");
  expect(fixes(failed("npm test", error), bash("npm test", "1 passed"))).toBe(0);
  expect(fixes(failed("npm test", error), change(), bash("npm test a.test.ts", "1 passed"))).toBe(
    0,
  );
  expect(fixes(failed("npm test", error), change(), bash("npm run build", "built in 2s"))).toBe(0);
  const twice = [
    failed("npm test", error),
    change(),
    bash("npm test", "1 passed"),
    change(),
    bash("npm test", "1 passed"),
  ];
  expect(fixes(...twice)).toBe(1);
});

test("[CP13] a wider pass proves only what no narrower one has proven before", () => {
  const events = [
    failed("npm test", "Exit code 1\nTypeError: one"),
    edit("src/one.ts", "let a = 1", "let a = 2"),
    failed("npm test two.test.ts", "Exit code 1\nTypeError: two"),
    edit("src/two.ts", "let b = 1", "let b = 2"),
    bash("npm test two.test.ts", "1 passed"),
    bash("npm test", "9 passed"),
  ];
  const fixes = events.map((event, index) =>
    extract(events.slice(0, index), event).flatMap((draft) =>
      draft.kind === "fix" ? draft.title : [],
    ),
  );
  expect(fixes.slice(-2)).toEqual([
    ["TypeError: two fixed by changing src/two.ts"],
    ["TypeError: one fixed by changing src/one.ts"],
  ]);
});

test("[CP13] installing what was missing fixes too", () => {
  const drafts = titles(
    failed("npm test", "Exit code 1\nError: Cannot find module 'zod'"),
    bash("npm install zod", "added 1 package"),
    bash("npm test", "1 passed"),
  );
  expect(drafts).toContain(
    "fix: Error: Cannot find module 'zod' fixed by running `npm install zod`",
  );
  expect(drafts).toContain("command: Installed zod with `npm install`");
});

/** The one fix that a session leaves. */
function onlyFix(...events: readonly AgentEvent[]): Draft | undefined {
  const fixes = extractAll(events).filter((draft) => draft.kind === "fix");
  expect(fixes.length).toBeLessThan(2);
  return fixes[0];
}

const invalid = (): AgentEvent => failed("npm test", "Exit code 1\nError: Invalid URL");
const passes = (): AgentEvent => bash("npm test", "Tests: 3 passed, 3 total");
const guess = (): AgentEvent => edit("src/a.ts", "const depth = 1;", "const depth = 2;");
const cure = (): AgentEvent => edit("src/url.ts", "return text", "return new URL(text)");

test.each([
  ["an edit", edit("src/a.ts", "const depth = 2;", "const depth = 1;")],
  ["git", bash("git checkout -- src/a.ts")],
  ["git, by the folder", bash("git restore ./src/")],
  ["git, where it stands", bash("git checkout .")],
  ["git, all of it", bash("git reset --hard")],
])(
  "[CP13] what was taken back by %s is no part of a fix, and told as what did not help",
  (_, back) => {
    const takenBack = "Did not help: Changed depth in src/a.ts";
    for (const events of [
      [invalid(), guess(), back, cure(), passes()],
      [invalid(), guess(), invalid(), back, cure(), passes()],
    ]) {
      const fix = onlyFix(...events);
      expect(fix).toMatchObject({
        title: "Error: Invalid URL fixed by changing src/url.ts",
        filesModified: ["src/url.ts"],
      });
      expect(fix?.facts).toContain("Done: Edited src/url.ts: return new URL(text)");
      expect(fix?.facts.filter((fact) => fact.includes("depth"))).toEqual([takenBack]);
    }
  },
);

test("[CP13] where all was taken back there is no fix to tell", () => {
  const back = edit("src/a.ts", "const depth = 2;", "const depth = 1;");
  expect(onlyFix(invalid(), guess(), back, passes())).toBeUndefined();
  expect(onlyFix(invalid(), guess(), bash("git reset --hard"), passes())).toBeUndefined();
});

test.each([
  ["another file", edit("src/b.ts", "const depth = 2;", "const depth = 1;")],
  ["another place", edit("src/a.ts", "let depth = 2;", "let depth = 1;")],
  ["a branch", bash("git checkout main")],
  ["a new branch of a folder's name", bash("git checkout -b src")],
  ["another file of git's", bash("git checkout -- src/b.ts")],
  ["what failed", failed("git checkout -- src/a.ts", "Exit code 1\nerror: pathspec")],
  ["the index alone", bash("git restore --staged src/a.ts")],
  [
    "one of two places",
    multiEdit("src/a.ts", [
      ["const depth = 2;", "const depth = 1;"],
      ["a", "b"],
    ]),
  ],
])("[CP13] an edit stands after %s was set back", (_, other) => {
  const fix = onlyFix(invalid(), guess(), other, passes());
  expect(fix?.facts).toContain("Done: Changed depth in src/a.ts");
});

test.each([
  ["sed -i 's/http:/https:/' src/url.ts"],
  ["sed -E -i.bak 's/http:/https:/' src/url.ts"],
  ["perl -pi -e 's/http:/https:/' src/url.ts"],
  ["rm -rf node_modules/.cache"],
  ["cp .env.example .env"],
  ["docker compose up -d db"],
  ["git apply fix.patch"],
])("[CP13] %s is told as what was done, before the next run and in its line", (command) => {
  const title = `Error: Invalid URL fixed by running \`${command}\``;
  expect(onlyFix(invalid(), bash(command), passes())?.title).toBe(title);
  const inLine = bash(`${command} && npm test`, "Tests: 3 passed, 3 total");
  expect(onlyFix(invalid(), inLine)?.title).toBe(title);
});

test("[CP13] a command by which nothing changed, that ran with the failure or beside an edit is no fix", () => {
  expect(onlyFix(invalid(), bash("sed -n 1,20p src/url.ts"), passes())).toBeUndefined();
  expect(onlyFix(invalid(), bash("rm -f /tmp/out.log"), passes())).toBeUndefined();
  const both = (): string => "rm -rf dist && npm test";
  const again = bash(both(), "Tests: 3 passed, 3 total");
  expect(onlyFix(failed(both(), "Exit code 1\nError: Invalid URL"), again)).toBeUndefined();
  const tidied = onlyFix(invalid(), bash("rm -rf dist"), cure(), passes());
  expect(tidied?.facts.filter((fact) => fact.startsWith("Done: "))).toEqual([
    "Done: Edited src/url.ts: return new URL(text)",
  ]);
});

const refusal = "The user doesn't want to proceed with this tool use.";

test.each([
  ["an edit in place", "sed -i s/a/b/ src/url.ts"],
  ["housekeeping", "rm -rf dist"],
  ["an install", "npm install zod"],
  ["what stands before a check", "rm -rf dist && npm test"],
])("[CP13] a command that the person refused is no fix: %s", (_, command) => {
  expect(onlyFix(invalid(), failed(command, refusal), passes())).toBeUndefined();
});

test("[CP13] what the person refused takes nothing back and commits nothing", () => {
  const refused = failed("git reset --hard", refusal);
  const commit = failed('git commit -am "x"', refusal);
  expect(onlyFix(invalid(), cure(), refused, passes())?.filesModified).toEqual(["src/url.ts"]);
  const reset = bash("git reset --hard");
  expect(onlyFix(invalid(), cure(), commit, reset, passes())).toBeUndefined();
});

test("[CP13] what failed itself, or came after the check, is no fix", () => {
  const sed = failed("sed -i s/a/b/ src/none.ts", "Exit code 2\nsed: can't read src/none.ts");
  expect(onlyFix(invalid(), sed, passes())).toBeUndefined();
  const after = bash("npm test && rm -rf coverage", "Tests: 3 passed, 3 total");
  expect(onlyFix(invalid(), after)).toBeUndefined();
});

test("[CP13] what was committed is a fix, whatever git sets back after it", () => {
  const commit = bash('git commit -am "Parse it"', "[main 1a2b3c4] Parse it");
  const fix = onlyFix(invalid(), cure(), commit, bash("git reset --hard"), passes());
  expect(fix?.filesModified).toEqual(["src/url.ts"]);
});

test("[CP13] what was done in the line that failed again did not help", () => {
  const again = failed("sed -i s/a/b/ src/url.ts && npm test", "Exit code 1\nError: Invalid URL");
  const fix = onlyFix(invalid(), again, cure(), passes());
  expect(fix?.facts).toContain("Did not help: running `sed -i s/a/b/ src/url.ts`");
});

test("[CP13] an error that names itself is not called one twice", () => {
  expect(onlyFix(invalid(), cure(), passes())?.facts[0]).toBe("Error: Invalid URL");
});
