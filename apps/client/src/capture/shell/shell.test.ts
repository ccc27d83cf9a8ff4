import fc from "fast-check";
import { expect, test } from "vitest";

import { simpleCommands } from "./command-line.ts";
import { essentialError } from "./error-lines.ts";
import type { Program } from "./programs.ts";
import { covers, programOf } from "./programs.ts";

function programs(line: string): readonly Program[] {
  return simpleCommands(line).map(programOf);
}

function only(line: string): Program {
  const [program] = programs(line);
  if (program === undefined) throw new Error(`no command in ${line}`);
  return program;
}

test.each([
  ["cd app && FOO=1 sudo timeout 60 npm test 2>&1 | tail -5", [["npm", "test"]]],
  ["a 'b && c' \"d; e\" && f", [["a", "b && c", "d; e"], ["f"]]],
  ["make > out.log 2> err.log || true", [["make"], ["true"]]],
  ["cat <<'EOF' > f && npm test\nrm -rf && x\nEOF\n", [["cat"]]],
  [
    "echo $(git log | head) ; go test ./...",
    [
      ["echo", "$(git", "log", "|", "head)"],
      ["go", "test", "./..."],
    ],
  ],
  ["npm test \\\n  --silent", [["npm", "test", "--silent"]]],
])("[CP12] %j is read as its simple commands", (line, words) => {
  expect(simpleCommands(line).map((command) => command.words)).toEqual(words);
});

test("[CP2] any command line is read without a throw", () => {
  const piece = fc.constantFrom(
    "a",
    " ",
    "'",
    '"',
    "`",
    "\\",
    "|",
    "&",
    ";",
    "\n",
    "(",
    ")",
    "<<E",
    ">",
    "2>&1",
    "$",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) =>
      Array.isArray(programs(pieces.join(""))),
    ),
    { seed: 2, numRuns: 2000 },
  );
});

test.each([
  ["npm test", "test"],
  ["pnpm run test:unit", "test"],
  ["npx vitest run src/a.test.ts", "test"],
  ["python -m pytest -k url", "test"],
  ["go test ./...", "test"],
  ["./gradlew :app:test", "run"],
  ["docker compose exec web pytest", "test"],
  ["npm run build", "build"],
  ["npx tsc -p .", "build"],
  ["make", "build"],
  ["make install", "run"],
  ["uv run ruff check", "lint"],
  ["npm i zod", "install"],
  ["pip install -r requirements.txt", "install"],
  ["npx prisma migrate dev", "migrate"],
  ['git commit -m "x"', "commit"],
  ["git push", "quiet"],
  ["ls -la", "quiet"],
  ["node -e 'x'", "quiet"],
  ["python3 - <<E", "quiet"],
  ["node --version", "quiet"],
  ["node server.js", "run"],
  ["terraform apply", "run"],
])("[CP16] %j is a %s command", (line, kind) => {
  expect(only(line).kind).toBe(kind);
});

test.each([
  ["npm test", "npm test -- a.test.ts", true],
  ["npm test -- a.test.ts", "npm test", false],
  ["npm test a b", "npm test a", true],
  ["pytest -k url", "pytest -k path", false],
  ["cargo test", "cargo build", false],
  ["npm test --filter=a", "npm test", false],
])("[CP13] a pass of %j proves %j: %s", (passed, failed, proves) => {
  expect(covers(only(passed), only(failed))).toBe(proves);
});

test.each([
  ["** (RuntimeError) no key found", "RuntimeError: no key found"],
  ["     Assertion with == failed\n     code:  assert a == b", "Assertion failed: assert a == b"],
  ['Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad', "ValueError: bad"],
  [
    "error[E0382]: borrow of moved value: `x`\n --> src/main.rs:3",
    "error[E0382]: borrow of moved value: `x`",
  ],
  ["E   AssertionError: assert 1 == 2", "AssertionError: assert 1 == 2"],
  ["--- FAIL: TestUrl (0.00s)\n    url_test.go:9: got 1", "--- FAIL: TestUrl (0.00s)"],
  ["sh: 1: vite: command not found", "sh: 1: vite: command not found"],
  ["Exit code 1\nnothing known here", "nothing known here"],
])("[CP12] the essence of %j is %j", (output, headline) => {
  expect(essentialError(output).headline).toBe(headline);
});

test("[CP8] long and hostile output is read in bounded time", () => {
  const hostile = [
    "= 1 failed ".repeat(2000),
    "\n".repeat(20_000),
    "<<A\n".repeat(2000),
    "a: ".repeat(8000),
  ];
  const before = performance.now();
  for (const text of hostile) {
    essentialError(text);
    programs(text);
  }
  expect(performance.now() - before).toBeLessThan(1500);
});

test("[CP12] npm's failure is told by what it says, not by the call and the path it names first", () => {
  const output = [
    "npm error code ENOENT",
    "npm error syscall open",
    "npm error path /app/package.json",
    "npm error errno -2",
    "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory",
    "npm error enoent This is related to npm not being able to find a file.",
    "npm error A complete log of this run can be found in: /home/u/.npm/_logs/x.log",
  ].join("\n");
  const { headline, lines } = essentialError(output);
  expect(headline).toBe("Could not read package.json: Error: ENOENT: no such file or directory");
  expect(lines.join("\n")).not.toContain("_logs");
  expect(essentialError('npm error Missing script: "test"\nnpm error').headline).toBe(
    'Missing script: "test"',
  );
});
