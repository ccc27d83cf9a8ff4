import { expect, test } from "vitest";
import { branchWords } from "./branch.ts";
import { buildContext } from "./context.ts";
import type { Moment } from "./moment.ts";
import { testObservation, testRecall } from "./testing/observations.ts";

const moment: Moment = { project: "git:example.com/p", tokensMax: 800, charsMax: 9_000 };

test.each([
  ["fix/1423-queue-retries", "queue retries"],
  ["feature/QueueRetryLimit", "queue retry limit"],
  ["ada/user-sessions_expire", "ada sessions expire"],
  ["main", ""],
  ["release/2.4", ""],
  ["claude/issue-12", ""],
  ["GH-99", ""],
  ["исправить/очередь", "исправить очередь"],
  [undefined, ""],
])("[RC24] of the branch %s what tells something is %j", (branch, words) => {
  expect(branchWords(branch)).toBe(words);
});

test("[RC24] what is about the branch goes before its like, and says so", () => {
  const observations = [
    testObservation("newest", { title: "The door is painted green", createdAt: 3_000 }),
    testObservation("about", { title: "Retries of the queue stop after five", createdAt: 2_000 }),
    testObservation("pinned", { title: "Use tabs", pinned: true, createdAt: 1_000 }),
  ];
  const chosen = (branch?: string) =>
    buildContext(testRecall(observations), { ...moment, work: { branch } }).items;
  expect(chosen("main").map(({ observation }) => observation.id)).toEqual([
    "pinned",
    "newest",
    "about",
  ]);
  const items = chosen("fix/queue-retries");
  expect(items.map(({ observation }) => observation.id)).toEqual(["pinned", "about", "newest"]);
  expect(items.map(({ why }) => why.endsWith(", of this branch"))).toEqual([false, true, false]);
});

test("[RC28] what is about files that are being changed goes before its like, and says so", () => {
  const observations = [
    testObservation("newest", { filesModified: ["src/door.ts"], createdAt: 3_000 }),
    testObservation("about", { filesModified: ["src/queue.ts"], createdAt: 2_000 }),
    testObservation("told", { filesRead: ["src/queue.ts"], createdAt: 1_000 }),
  ];
  const isTouched = (path: string): boolean => path === "src/queue.ts";
  const { items } = buildContext(testRecall(observations), { ...moment, work: { isTouched } });
  expect(items.map(({ observation }) => observation.id)).toEqual(["about", "told", "newest"]);
  expect(items[0]?.why).toMatch(/, of files changed now$/);
  expect(items[2]?.why).not.toContain("files changed");
});
