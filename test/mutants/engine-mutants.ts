import type { Mutant } from "./mutant.ts";

const machine = "apps/client/src/sync/machine";

/** Bugs in the client's sync engine. */
export const engineMutants: readonly Mutant[] = [
  {
    name: "no-timer-after-failure",
    rule: "EN2",
    file: `${machine}/lane.ts`,
    find: "    dueAtMs: nowMs + delayMs,\n",
    replace: "    dueAtMs: undefined,\n",
    why: "a lane that failed does not run again by itself",
  },
  {
    name: "hello-ends-after-failure",
    rule: "EN18",
    file: "apps/client/src/sync/engine.ts",
    find: "      failures = hello.ok ? 0 : failures + 1;\n",
    replace: "      failures = hello.ok ? 0 : failures + 1;\n      if (failures > 2) break;\n",
    why: "an engine that met no server three times never asks again",
  },
  {
    name: "deaf-engine",
    rule: "EN7",
    file: `${machine}/answers.ts`,
    find: `  if (state.mode === "once") return pull;
  return want(`,
    replace: `  if (!pull.isBusy) return pull;
  return want(`,
    also: [
      {
        file: "apps/client/src/sync/machine.ts",
        find: `      return quietStep(withLane(state, "pull", want(state.pull, event.nowMs)));`,
        replace: "      return quietStep(state);",
      },
    ],
    why: "the engine ignores pokes and does not poll",
  },
  {
    name: "push-held-for-ever",
    rule: "EN10",
    file: `${machine}/heals.ts`,
    find: "    isPushHeld: false,\n",
    replace: "",
    why: "after a fork nothing is pushed any more",
  },
  {
    name: "end-before-answer",
    rule: "PS33",
    file: "apps/client/src/sync/push-ahead.ts",
    find: "end: end.passed, onSent",
    replace: "end: Promise.resolve(), onSent",
    why: "the end of a push leaves before the answer to the one before it is on disk",
  },
  {
    name: "local-changes-unnoticed",
    rule: "EN17",
    file: "apps/client/src/sync/engine.ts",
    find: "for (const namespace of looked.ok ? looked.value : []) {",
    replace: "for (const namespace of looked.ok ? [] : []) {",
    why: "what hooks write is not pushed before something else happens",
  },
];
