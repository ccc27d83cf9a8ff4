import { ok } from "@tidemark/protocol";
import { forgetRecord, type ForgetError } from "../../../memory/forget.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Command, Outcome } from "../command.ts";
import { refusedErasure } from "../ask.ts";
import { memoryAt, placeOption } from "../scope.ts";
import { failed } from "../shown.ts";

/** Erases a record for ever. */
export const forget: Command = {
  arguments: [{ syntax: "<id>", help: "an id, or its first 6 characters or more" }],
  options: [placeOption, { flags: "-y, --yes", help: "do not ask" }],
  notes:
    "Its content is erased here at once and on every other device with its next sync; nothing brings\n" +
    "it back. `tidemark archive` hides without erasing.",
  run: async (deps, call) => {
    const memory = memoryAt(deps, call);
    if (!memory.ok) return memory;
    const found = memory.value.store.reads.find(call.args[0] ?? "");
    if (!found.ok) return notForgotten(found.error);
    const { id, fields } = found.value;
    const title = typeof fields["title"] === "string" ? ` “${safeText(fields["title"], 60)}”` : "";
    const question = `Forget${title} for ever, on every device?`;
    const refused = await refusedErasure(deps, call, question);
    if (refused !== undefined) return refused;
    const done = forgetRecord(memory.value, id);
    // Somebody else may have been faster while a person was asked.
    if (!done.ok) return notForgotten(done.error);
    return ok({ json: { id, forgotten: true }, text: `forgot ${id}` });
  },
};

/** Forgetting twice is what a script that was cut off does; the outcome is the one it wants. */
function notForgotten(error: ForgetError): Outcome {
  if (error.kind !== "forgotten") return failed(error);
  const { id } = error;
  return ok({ json: { id, forgotten: true }, text: `forgotten already: ${id}` });
}
