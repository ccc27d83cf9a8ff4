import { ok } from "@tidemark/protocol";
import type { Command } from "../command.ts";
import { trouble } from "../trouble.ts";
import { statusOutput } from "./status.ts";

/** Longest first sync, in milliseconds; what is left goes with the next one. */
const firstSyncMsMax = 30_000;

/** Joins a server by a one-time link. */
export const pair: Command = {
  arguments: [{ syntax: "<link>", help: "the whole link, in quotes" }],
  options: [
    { flags: "--name <name>", help: "name of this device; the machine's unless given" },
    { flags: "--user <name>", help: "your name, where the server does not know you yet" },
    { flags: "--allow-http", help: "trust plain http to a machine of your own network" },
  ],
  notes:
    "Links are printed by the server at its first start, by `tidemark device add` on a device that is\n" +
    "paired, and by `tidemark namespace invite`. Each works once.",
  run: async (deps, call) => {
    const pairing = await deps.pairing();
    const name = call.text("name");
    const user = call.text("user");
    const paired = await pairing.open(
      call.args[0] ?? "",
      {
        allowPlainLan: call.isOn("allowHttp"),
        ...(name === undefined ? {} : { deviceName: name }),
        ...(user === undefined ? {} : { userName: user }),
      },
      deps.signal,
    );
    if (!paired.ok) return { ok: false, error: trouble(paired.error) };
    const runner = await deps.sync();
    const first = await runner.run({
      signal: deps.signal,
      waitMs: 5_000,
      budgetMs: firstSyncMsMax,
    });
    const isDone = first.kind === "ended" && first.sync.isDone;
    const { json, text = "" } = statusOutput(deps);
    const note = isDone ? "" : "\nthe first sync is not finished: tidemark sync";
    return ok({ json, text: `${text}${note}` });
  },
};
