import { expect, test } from "vitest";
import type { Draft } from "./draft.ts";
import type { AgentEvent } from "./event.ts";
import { extract } from "./extract.ts";
import { bash, edit, failed, hook, prompt, stop } from "./testing/session-events.ts";

const says = (text: string): AgentEvent => hook("MessageDisplay", { assistant_message: text });

function commit(subject: string): AgentEvent {
  return bash(`git commit -am "${subject}"`, `[main 1a2b3c4] ${subject}\n 1 file changed`);
}

function told(...events: readonly AgentEvent[]): readonly Draft[] {
  return events.flatMap((event, index) => extract(events.slice(0, index), event));
}

const limit = (): AgentEvent => edit("src/limit.ts", "", "export function limit() {}");

test("[CP30] edits are told by their commit, with files and the reason that was given", () => {
  const drafts = told(
    prompt("Add rate limiting to the gateway"),
    says("The gateway needs a limit because one client can starve the others. Let me add it."),
    limit(),
    edit("src/gateway.ts", "serve()", "limit(); serve()"),
    commit("Limit requests"),
    stop("Done."),
  );
  expect(drafts.map(({ kind }) => kind)).toEqual(["request", "change"]);
  expect(drafts[1]).toMatchObject({
    title: "Limit requests",
    filesModified: ["src/limit.ts", "src/gateway.ts"],
  });
  expect(drafts[1]?.narrative).toContain("because one client can starve the others");
  expect(drafts[1]?.facts.join()).toContain("src/limit.ts: Added limit");
});

test("[CP30] what is not committed is told when its turn ends, once", () => {
  const events = [prompt("Add rate limiting"), limit(), edit("src/gateway.ts", "a()", "limit()")];
  const drafts = told(...events, stop("The gateway is limited now."), hook("SessionEnd", {}));
  const changes = drafts.filter(({ kind }) => kind === "change");
  expect(changes.map(({ title }) => title)).toEqual([
    "Added limit to src/limit.ts and 1 more file",
  ]);
  expect(changes[0]?.narrative).toContain("Add rate limiting");
  expect(changes[0]?.narrative).toContain("The gateway is limited now.");
});

test("[CP30] what was taken back is told neither by the turn nor by its commit", () => {
  const back = edit("src/limit.ts", "export function limit() {}", "");
  expect(told(limit(), back, stop("That did not help."))).toEqual([]);
  const changed = edit("src/gateway.ts", "serve()", "serve(1)");
  const changes = told(limit(), changed, bash("git checkout src/limit.ts"), commit("Serve one"));
  expect(changes.map(({ filesModified }) => filesModified)).toEqual([["src/gateway.ts"]]);
});

test("[CP30] what was committed stands whatever git sets back after it", () => {
  const reset = bash("git reset --hard");
  const later = told(limit(), commit("Limit requests"), reset, stop("Done."));
  expect(later[0]?.filesModified).toEqual(["src/limit.ts"]);
  const undo = edit("src/limit.ts", "export function limit() {}", "");
  const [, change] = told(limit(), commit("Limit requests"), undo, stop("It is off again."));
  expect(change?.title).toBe("Removed limit from src/limit.ts");
});

test("[CP30] a commit of a later turn takes the place of what the turn told", () => {
  const end = stop("It is limited.");
  const [early] = told(limit(), end);
  const later = told(limit(), end, prompt("commit it please"), commit("Limit requests"));
  expect(later.at(-1)?.replaces).toContain(early?.key);
});

test("[CP31] a failure that its turn made good is told by its fix alone", () => {
  const error = failed("npm test", "Exit code 1\nTypeError: limit is not a function");
  const drafts = told(error, limit(), bash("npm test", "3 passed"), stop("It passes."));
  expect(drafts.map(({ kind }) => kind)).toEqual(["fix", "command"]);
});

test("[CP31] a failure left open is told when its turn ends; a later fix takes its place", () => {
  const error = failed("npm test", "Exit code 1\nTypeError: limit is not a function");
  const end = stop("It fails still.");
  const [open] = told(error, end);
  expect(open?.kind).toBe("failure");
  const later = told(error, end, limit(), bash("npm test", "3 passed"));
  expect(later.find(({ kind }) => kind === "fix")?.replaces).toContain(open?.key);
});

test("[CP31] an error that only went away with what a test expects is no fix", () => {
  const error = failed("npm test", "Exit code 1\nAssertionError: expected 2 to be 3");
  const expected = edit("src/limit.test.ts", "expect(limit()).toBe(3)", "expect(limit()).toBe(2)");
  const drafts = told(error, expected, bash("npm test", "3 passed"));
  expect(drafts.map(({ kind }) => kind)).toEqual(["command"]);
});

test("[CP32] a sub-agent's report is a discovery; a short word of it is none", () => {
  const report =
    "Perfect! Here is what I found:\n\nThe limiter keeps its counters in process memory, so two workers " +
    "count apart.\n\n- src/limit.ts holds them in a Map\n- nothing shares it";
  const end = (text: string): AgentEvent =>
    hook("SubagentStop", { agent_id: "a1", agent_type: "Explore", last_assistant_message: text });
  const [draft] = told(end(report));
  expect(draft).toMatchObject({
    kind: "discovery",
    title: "The limiter keeps its counters in process memory, so two workers count apart.",
    concepts: ["report", "Explore"],
  });
  expect(draft?.narrative).toContain("nothing shares it");
  expect(told(end("Done."))).toEqual([]);
});

test.each(["Run the tests", "inspect files", "create one focused commit", "commit and push"])(
  "[CP33] %s is no request",
  (words) => {
    expect(told(prompt(words))).toEqual([]);
    expect(told(prompt(words), prompt("Add rate limiting"))[0]?.title).toBe("Add rate limiting");
  },
);

test("[CP35] a program that passes in another folder is a fix that names it", () => {
  const drafts = told(
    failed("node assets/build.js", 'Error: Could not resolve "js/app.js"'),
    bash("cd assets && node build.js", "built"),
  );
  expect(drafts[0]).toMatchObject({
    kind: "fix",
    title: 'Error: Could not resolve "js/app.js" fixed by running `node build.js` in assets/',
  });
  const other = told(
    failed("node assets/build.js", 'Error: Could not resolve "js/app.js"'),
    bash("cd site && node build.js", "built"),
  );
  expect(other.map(({ kind }) => kind)).toEqual(["command"]);
});
