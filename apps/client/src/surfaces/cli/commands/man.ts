import { ok } from "@tidemark/protocol";
import type { Command } from "../command.ts";
import { readCatalog } from "../manual/catalog.ts";
import { manPage } from "../manual/man-page.ts";

/** Prints the manual page (TM2). */
export const man: Command = {
  notes:
    "Read it: tidemark man | man -l -\nKeep it: tidemark man > ~/.local/share/man/man1/tidemark.1",
  run: async (deps) => {
    const page = manPage(await readCatalog(deps.verbs.rows), deps.version);
    return ok({ json: { page }, text: page.trimEnd() });
  },
};
