import { ok } from "@tidemark/protocol";
import { supersedeObservation } from "../../../memory/supersede.ts";
import type { Command } from "../command.ts";
import { failed } from "../shown.ts";

/** Lets a newer observation take an older one's place. */
export const supersede: Command = {
  arguments: [
    {
      syntax: "<old>",
      help: "id of the observation that is outdated; its first 6 characters or more do",
    },
    { syntax: "<new>", help: "id of the one that replaces it" },
  ],
  run: (deps, { args: [old = "", newer = ""] }) => {
    const done = supersedeObservation(deps.memory(), old, newer);
    if (!done.ok) return failed(done.error);
    return ok({ json: done.value, text: `${done.value.old} is superseded by ${done.value.new}` });
  },
};
