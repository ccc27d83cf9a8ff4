import { fail, ok } from "@tidemark/protocol";
import type { Command } from "../command.ts";
import { readCatalog, placesOf } from "../manual/catalog.ts";
import { completionScript, shells } from "../manual/completion-script.ts";
import { misuse } from "../trouble.ts";

/** Prints the script by which a shell completes commands and options (TM1). */
export const completion: Command = {
  arguments: [{ syntax: "<shell>", help: "bash, zsh or fish" }],
  notes: `bash: tidemark completion bash > ~/.local/share/bash-completion/completions/tidemark
zsh:  tidemark completion zsh > "\${fpath[1]}/_tidemark"
fish: tidemark completion fish > ~/.config/fish/completions/tidemark.fish`,
  run: async ({ verbs }, { args: [name] }) => {
    const shell = shells.find((known) => known === name);
    if (shell === undefined) {
      return fail(misuse(`no completion is made for ${name ?? ""}`, "give bash, zsh or fish"));
    }
    const script = completionScript(shell, placesOf(await readCatalog(verbs.rows), verbs.groups));
    return ok({ json: { shell, script }, text: script.trimEnd() });
  },
};
