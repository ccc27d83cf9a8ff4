import { ok } from "@tidemark/protocol";
import type { Command } from "../command.ts";
import { statusOutput } from "./status.ts";

/** Says what to do next, given how things stand. */
export const start: Command = {
  run: (deps) => {
    const { json, text = "" } = statusOutput(deps);
    const { store } = deps.memory();
    const isEmpty = store.reads.counts().observations === 0;
    const isPaired = deps.home().identity() !== undefined;
    const next = [
      ...(isEmpty ? ['nothing is remembered yet: tidemark save --title "What was learned"'] : []),
      ...(isPaired
        ? []
        : ["join a server, if you want memory on other devices: tidemark pair <link>"]),
      ...(isEmpty ? [] : ["look for something: tidemark search <words>"]),
      "see all commands: tidemark --help",
    ];
    return ok({ json, text: `${text}\n\nnext:\n${next.map((line) => `  ${line}`).join("\n")}` });
  },
};
