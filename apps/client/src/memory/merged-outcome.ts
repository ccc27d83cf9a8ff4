import { isArray, isObject, type JsonObject, type JsonValue } from "@tidemark/protocol";
import { sessionOutcomeMax, type SessionOutcome } from "../capture/session.ts";

type Check = SessionOutcome["checks"][number];
type Unsolved = NonNullable<SessionOutcome["unsolved"]>;

/**
 * What a session came to, of what its record told before and what its last events tell: files and
 * commits of both, of each check how it ended last, and the failure that neither made good (CP20).
 */
export function mergedOutcome(before: JsonObject, now: SessionOutcome): SessionOutcome {
  const { filesMax, filesReadMax, commitsMax, checksMax } = sessionOutcomeMax;
  const unsolved = now.unsolved ?? stillUnsolved(before["unsolved"], now.checks);
  const request = now.request ?? textOf(before["request"]);
  const lastWords = now.lastWords ?? textOf(before["lastWords"]);
  const filesChanged = joined(textsOf(before["filesChanged"]), now.filesChanged, filesMax);
  const filesRead = joined(textsOf(before["filesRead"]), now.filesRead, filesReadMax);
  const isOpen = now.lastWords === undefined;
  return {
    filesChanged,
    filesRead: filesRead.filter((path) => !filesChanged.includes(path)),
    next: isOpen ? textsOf(before["next"]) : now.next,
    commits: joined(textsOf(before["commits"]), now.commits, commitsMax),
    checks: joinedChecks(checksOf(before["checks"]), now.checks).slice(-checksMax),
    ...(request === undefined ? {} : { request }),
    ...(unsolved === undefined ? {} : { unsolved }),
    ...(lastWords === undefined ? {} : { lastWords }),
  };
}

/** Early ones first; where there are too many, the latest stay. */
function joined(early: readonly string[], late: readonly string[], max: number): readonly string[] {
  return [...new Set([...early, ...late])].slice(-max);
}

function joinedChecks(early: readonly Check[], late: readonly Check[]): readonly Check[] {
  const passedByCommand = new Map(
    [...early, ...late].map(({ command, passed }) => [command, passed] as const),
  );
  return [...passedByCommand].map(([command, passed]) => ({ command, passed }));
}

function stillUnsolved(
  value: JsonValue | undefined,
  checks: readonly Check[],
): Unsolved | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  const [command, error] = [textOf(value["command"]), textOf(value["error"])];
  if (command === undefined || error === undefined) return undefined;
  const isPassed = checks.some(
    (check) =>
      check.passed && (command === check.command || command.startsWith(`${check.command} `)),
  );
  return isPassed ? undefined : { command, error };
}

function checksOf(value: JsonValue | undefined): readonly Check[] {
  if (value === undefined || !isArray(value)) return [];
  return value.flatMap((each) => {
    if (!isObject(each)) return [];
    const command = textOf(each["command"]);
    return command === undefined ? [] : [{ command, passed: each["passed"] === true }];
  });
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return value !== undefined && isArray(value) ? value.flatMap((each) => textOf(each) ?? []) : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
