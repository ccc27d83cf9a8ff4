import { ok } from "@tidemark/protocol";
import { supersedeObservation } from "../../../memory/supersede.ts";
import type { Command } from "../command.ts";
import { failed } from "../shown.ts";

/** Lets a newer observation take an older one's place. */
export const supersede: Command = {
  arguments: [
    { syntax: "<old>", help: "the observation that is outdated" },
    { syntax: "<new>", help: "the one that replaces it" },
  ],
  run: (deps, { args: [old = "", newer = ""] }) => {
    const done = supersedeObservation(deps.memory(), old, newer);
    if (!done.ok) return failed(done.error);
    return ok({ json: done.value, text: `${done.value.old} is superseded by ${done.value.new}` });
  },
};
