import { expect, test } from "vitest";
import type { NamespaceProgress } from "../../sync/outcome.ts";
import { progressOfPart, startProgress, type Progress } from "./progress.ts";
import { startSyncProgress } from "./sync-progress.ts";

type Deps = Parameters<typeof startProgress>[0];

/** A terminal of so many columns, or a log where it has none, and a clock that a test moves. */
function world(columns: number | undefined) {
  let nowMs = 0;
  const written: string[] = [];
  const io = {
    isErrTty: columns !== undefined,
    width: columns ?? 80,
    err: (text: string) => {
      written.push(text);
    },
  };
  const deps = { io: io as unknown as Deps["io"], clock: { nowMs: () => nowMs } };
  return {
    deps,
    written,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const clear = "\r\u001B[K";

test("[TM6] in a terminal nothing is shown for a second, then a bar that goes away", () => {
  const { deps, written, pass } = world(80);
  const progress = startProgress(deps, { isRead: false });
  pass(999);
  progress.tell("early", 0.1);
  expect(written).toEqual([]);
  pass(1);
  progress.tell("12 of 40 lines", 0.3);
  expect(written).toEqual([`${clear}██████░░░░░░░░░░░░░░ 30 % 12 of 40 lines`]);
  pass(199);
  progress.tell("too soon", 0.4);
  expect(written.length).toBe(1);
  pass(1);
  progress.tell("nobody knows how many");
  expect(written.at(-1)).toBe(`${clear}nobody knows how many …`);
  progress.end();
  expect(written.at(-1)).toBe(clear);
});

test("[TM6] elsewhere a plain line is added every five seconds, none where a program reads", () => {
  const { deps, written, pass } = world(undefined);
  const progress = startProgress(deps, { isRead: false });
  const mute = startProgress(deps, { isRead: true });
  for (let second = 1; second <= 12; second += 1) {
    pass(1_000);
    for (const each of [progress, mute]) each.tell(`second ${second}`, second / 12);
  }
  progress.end();
  expect(written).toEqual(["second 5 (41 %)\n", "second 10 (83 %)\n"]);
});

test("[TM6] a line is never wider than the terminal and commands it to nothing", () => {
  const { deps, written, pass } = world(40);
  const progress = startProgress(deps, { isRead: false });
  pass(2_000);
  progress.tell(`reading a\u001B[2Jb${"x".repeat(200)}`, 2);
  const [line = ""] = written;
  expect(line.slice(clear.length).length).toBe(39);
  expect(line.slice(clear.length)).not.toContain("\u001B");
  expect(line).toContain("████████████████████ 100 %");
});

test("[TM6] of several files each has its part of the bar", () => {
  const shares: (number | undefined)[] = [];
  const whole: Progress = {
    isDue: () => true,
    tell: (_how, share) => {
      shares.push(share);
    },
    end: () => undefined,
  };
  progressOfPart(whole, 1, 4).tell("half of the second", 0.5);
  progressOfPart(whole, 1, 4).tell("the second");
  progressOfPart(whole, 0, 1).tell("the only one");
  expect(shares).toEqual([0.375, 0.25, undefined]);
});

const outcome = {
  namespace: "ns_1",
  name: "personal",
  isDone: false,
  unsent: 0,
  unverified: 0,
  work: undefined,
} as unknown as NamespaceProgress;

test("[TM6] a sync tells what it fetches, compares and sends", () => {
  const { deps, written, pass } = world(80);
  const { show, end } = startSyncProgress(deps, false);
  const shown = (...all: readonly Partial<NamespaceProgress>[]): string | undefined => {
    pass(1_000);
    show(() => all.map((part) => ({ ...outcome, ...part })));
    return written.at(-1)?.slice(clear.length);
  };
  expect(shown({ work: { kind: "pull", done: 5_000, total: 20_000 } })).toBe(
    "█████░░░░░░░░░░░░░░░ 25 % personal: fetching, 5,000 of 20,000",
  );
  expect(shown({ work: { kind: "heal", done: 64, total: 256 } })).toContain(
    "comparing with the server, part 64 of 256",
  );
  expect(shown({ unsent: 80 })).toContain(" 0 % personal: sending, 80 changes left");
  expect(shown({ unsent: 15, unverified: 5 })).toContain(" 75 % personal: sending, 20 changes");
  expect(shown({ isDone: true }, { name: "team" })).toBe("team (2 of 2): checking …");
  end();
  expect(written.at(-1)).toBe(clear);
});

test("[EN26] a sync of many namespaces looks at all of them only when something is shown", () => {
  const { deps, pass } = world(80);
  const { show } = startSyncProgress(deps, false);
  let looks = 0;
  const look = (): readonly NamespaceProgress[] => {
    looks += 1;
    return [outcome];
  };
  for (let step = 0; step < 500; step += 1) show(look);
  expect(looks).toBe(1);
  pass(1_000);
  for (let step = 0; step < 500; step += 1) show(look);
  expect(looks).toBe(2);
});
