import { oneLine } from "../payload/clip.ts";

/** What is left of a failed command's output: one line that names the error, and a few more. */
export interface EssentialError {
  readonly headline: string;
  readonly lines: readonly string[];
}

/** Most lines of output that are looked at, and most that are kept. */
const readLinesMax = 3000;
const keptLinesMax = 6;
const lineCharsMax = 200;

/** Lines that say what went wrong. Expressions are made where a command failed: most did not. */
const errorLine = (): RegExp =>
  /^(?:\*\* \([\w.]+\)|(?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception|Panic)\b.{0,40}?:|error(?:\[\w+\])?:|Error:|ERROR:?\s|.{1,120}\berror(?: TS\d+)?:\s|panic: |fatal(?: error)?: |E {2,}\S|Caused by: |✘ \[ERROR\]|npm (?:ERR!|error) (?!A complete log|(?:code|syscall|path|errno|command|workspace|location|dest|file|cwd|network|Log files)\b|This is related|$)|thread '.*' panicked|Assertion with |AssertionError|.{1,80}: command not found|Segmentation fault)/u;

/** Lines that name what failed. */
const failedCase = (): RegExp =>
  /^(?:\d+\) \S|[✗✕✖×●] \S|--- FAIL: |not ok \d|FAILED \S|FAIL \S|test .* \.\.\. FAILED|\[E\w*\] )/u;

/** Lines that add up the run. */
const summaryLine = (): RegExp =>
  /^(?:\d+ doctests?, )?\d+ (?:tests?|examples?), \d+ failures?|^(?:Tests?|Test Files|Test Suites):? +.*failed|^=+ .*(?:failed|error).*=+$|^test result: FAILED|^[1-9]\d* (?:failed|failing)\b|^Found \d+ errors?|^[✖✘] \d+ problems?/u;

/** Lines that look like errors and are not: counts of none, notices of hosts, quoted source. */
const falseAlarm = (): RegExp =>
  /^(?:0 |no )(?:errors?|failures?|failed)|\b0 errors?\b|^Exit code \d+$|^let error|^\^/iu;

/** The lines of a failed command's output that say what went wrong, in order, without repetition. */
export function essentialError(output: string): EssentialError {
  const [isAlarm, isError, isCase] = [falseAlarm(), errorLine(), failedCase()];
  const isSummary = summaryLine();
  const lines = output
    .split("\n", readLinesMax)
    .map((line) => line.slice(0, 4 * lineCharsMax).trim())
    .filter((line) => line !== "" && !isAlarm.test(line));
  const errors = lines.flatMap((line, index) =>
    isError.test(line) ? [named(line, lines[index + 1])] : [],
  );
  const cases = lines.filter((line) => isCase.test(line));
  const summary = lines.findLast((line) => isSummary.test(line));
  const headline = errors[0] ?? cases[0] ?? summary ?? named(lines[0] ?? "", lines[1]);
  const kept = [
    ...errors.slice(0, 3),
    ...cases.slice(0, 3),
    ...(summary === undefined ? [] : [summary]),
  ];
  const told = kept.length === 0 ? lines.slice(0, 3) : kept;
  const unique = [...new Set(told.map((line) => oneLine(line, lineCharsMax)))];
  return { headline: oneLine(headline, lineCharsMax), lines: unique.slice(0, keptLinesMax) };
}

/** An error line by its own words: Elixir's marks taken off, an assertion with the code it asserts. */
function named(line: string, next: string | undefined): string {
  const raised = /^\*\* \(([\w.]+)\) ?(.*)$/u.exec(line);
  if (raised !== null) return `${raised[1] ?? ""}: ${raised[2] ?? ""}`;
  if (line.startsWith("Assertion with ")) {
    const code = /^code: +(.*)$/u.exec(next ?? "");
    return code === null ? line : `Assertion failed: ${code[1] ?? ""}`;
  }
  const plain = line.replace(
    /^(?:E {2,}|✘ \[ERROR\] |error: (?=\S{3})|npm (?:ERR!|error) (?:enoent )?(?=\S{3}))/u,
    "",
  );
  return plain.endsWith(":") && next !== undefined ? `${plain} ${next}` : plain;
}
