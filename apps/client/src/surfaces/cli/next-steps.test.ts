import { expect, test } from "vitest";
import { nextSteps, type Standing } from "./next-steps.ts";

const fine: Standing = {
  isPaired: true,
  observations: 3,
  lastFailure: null,
  namespaces: [{ name: "personal", status: "active", rejected: 0, conflicts: 0 }],
  untoldAgents: [],
};
const failure = { code: "c", message: "m", at: 1 };

test("[TM3] where all is well, nothing stands in the way", () => {
  expect(nextSteps(fine)).toEqual([
    "look for something: tidemark search <words>",
    "see all commands: tidemark --help",
  ]);
});

test.each<readonly [string, Partial<Standing>, RegExp]>([
  ["a sync that fails", { lastFailure: { ...failure, family: "retry" } }, /: tidemark sync$/],
  ["a device shut out", { lastFailure: { ...failure, family: "auth" } }, /: tidemark doctor$/],
  ["another version", { lastFailure: { ...failure, family: "upgrade" } }, /: tidemark doctor$/],
  [
    "refused changes",
    { namespaces: [{ name: "n", status: "active", rejected: 1, conflicts: 0 }] },
    /: tidemark rejected$/,
  ],
  [
    "conflicts",
    { namespaces: [{ name: "n", status: "active", rejected: 0, conflicts: 1 }] },
    /: tidemark conflicts$/,
  ],
  [
    "a namespace left",
    { namespaces: [{ name: "n", status: "parked", rejected: 0, conflicts: 0 }] },
    /member of n; .*: tidemark export$/,
  ],
  ["agents not told", { untoldAgents: ["Codex"] }, /^let Codex .*: tidemark install$/],
])("[TM3] %s comes first", (_name, change, step) => {
  expect(nextSteps({ ...fine, ...change })[0]).toMatch(step);
});

test("[TM3] without a server, a way to one is named and no failure told", () => {
  const steps = nextSteps({
    ...fine,
    isPaired: false,
    lastFailure: { ...failure, family: "retry" },
  });
  expect(steps[0]).toMatch(/: tidemark pair <link>$/);
});
