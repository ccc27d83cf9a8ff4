import { fail, ok } from "@tidemark/protocol";
import { supersedeObservation } from "../../../memory/supersede.ts";
import { leavesNone, leavesNoneTrouble } from "../../../recall/given.ts";
import type { Command } from "../command.ts";
import { memoryAt, placeOption } from "../scope.ts";
import { failed } from "../shown.ts";
import { trouble } from "../trouble.ts";

/** Lets a newer observation take an older one's place. */
export const supersede: Command = {
  arguments: [
    {
      syntax: "<old>",
      help: "id of the observation that is outdated; its first 6 characters or more do",
    },
    { syntax: "<new>", help: "id of the one that replaces it" },
  ],
  options: [placeOption],
  run: (deps, call) => {
    const memory = memoryAt(deps, call);
    if (!memory.ok) return memory;
    const [old = "", newer = ""] = call.args;
    const { reads } = memory.value.store;
    const [was, next] = [reads.find(old), reads.find(newer)];
    const isAgents = deps.origin === "agent";
    if (isAgents && was.ok && next.ok && leavesNone(reads, was.value, next.value)) {
      return fail(trouble(leavesNoneTrouble));
    }
    const done = supersedeObservation(memory.value, old, newer);
    if (!done.ok) return failed(done.error);
    return ok({ json: done.value, text: `${done.value.old} is superseded by ${done.value.new}` });
  },
};
