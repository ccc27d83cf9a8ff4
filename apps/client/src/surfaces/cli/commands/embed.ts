import { fail, ok } from "@tidemark/protocol";
import { embedMissing } from "../../../wiring/embed-missing.ts";
import { embedState } from "../../../wiring/embed-state.ts";
import type { Command } from "../command.ts";
import { startProgress } from "../progress.ts";
import { counted } from "../render/text.ts";
import { trouble } from "../trouble.ts";

/** Has the embedder make the vectors that are missing. */
export const embedObservations: Command = {
  options: [{ flags: "--anew", help: "make all of them again, as after another model came" }],
  notes:
    "Nothing is run unless `embedder` in config.json names a command: it reads a line of JSON for each\n" +
    'text, {"role":"document","text":"…"}, and prints a JSON array of numbers for each, in order. Search\n' +
    "then finds by meaning too. The daemon and the MCP server do this by themselves; vectors stay on\n" +
    "this device.",
  run: async (deps, call) => {
    const home = deps.home();
    const memory = deps.memory();
    const progress = startProgress(deps, { isRead: call.isJson });
    const told = await embedMissing(home, memory, {
      signal: deps.signal,
      isAnew: call.isOn("anew"),
      onEmbedded: (done, of) => {
        progress.tell(`embedding: ${done} of ${of}`, done / of);
      },
    });
    progress.end();
    if (!told.ok) return fail(trouble(told.error));
    const { embedded, ms } = told.value;
    const { kept = 0 } = embedState(home, memory) ?? {};
    const done = `${counted(embedded, "observation")} embedded in ${Math.ceil(ms / 1_000)} s`;
    return ok({
      json: { embedded, kept, ms },
      text: `${embedded === 0 ? "nothing to embed" : done}; ${kept} have a vector`,
    });
  },
};
