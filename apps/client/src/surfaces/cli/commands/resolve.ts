import { fail, ok, type Result } from "@tidemark/protocol";
import { resolveConflict, type Resolution } from "../../../memory/resolve.ts";
import type { Call, Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { failed } from "../shown.ts";
import { misuse, type Trouble } from "../trouble.ts";

/** Settles a conflict. */
export const resolve: Command = {
  arguments: [{ syntax: "<id>", help: "the conflict's id, or the beginning of one" }],
  options: [
    { flags: "--keep <which>", help: "`current` (the value that stands) or `losing`" },
    { flags: "--value <text>", help: "a third value" },
  ],
  notes: "Without an option a script keeps the value that stands; a person is asked.",
  run: async (deps, call) => {
    const resolution = await resolutionOf(deps, call);
    if (!resolution.ok) return resolution;
    const [id = ""] = call.args;
    const done = resolveConflict(deps.memory(), id, resolution.value);
    if (!done.ok) return failed(done.error);
    const { record, field } = done.value;
    const { keep } = resolution.value;
    return ok({ json: { id, record, field, kept: keep }, text: `settled ${field} of ${record}` });
  },
};

async function resolutionOf(deps: CliDeps, call: Call): Promise<Result<Resolution, Trouble>> {
  const value = call.text("value");
  const keep = call.text("keep");
  if (value !== undefined) {
    if (keep === undefined) return ok({ keep: "other", value });
    return fail(misuse("--keep and --value exclude each other", "give one of the two"));
  }
  const isAsked = keep === undefined && !call.isJson && deps.io.hasPerson;
  const answer = isAsked
    ? (await deps.io.ask("Keep which value, current or losing? "))?.trim()
    : (keep ?? "current");
  if (answer === "current" || answer === "losing") return ok({ keep: answer });
  return fail(misuse("which value to keep is not clear", "--keep current, or --keep losing"));
}
