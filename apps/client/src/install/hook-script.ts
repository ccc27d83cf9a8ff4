import { fail, ok } from "@tidemark/protocol";
import type { AgentFile } from "./agent-setup.ts";

/** What the second line of the script says, by which it is known again. */
const mark =
  "# Made by `tidemark install`, and again by each of its runs; taken out by `tidemark uninstall`.";

/** A program that an agent starts by its name alone: a script that starts the hook, ours whole. */
export function hookScript(path: string, command: string): AgentFile {
  const text = `#!/bin/sh\n${mark}\nexec ${command}\n`;
  const isOurs = (found: string): boolean => found.split("\n")[1] === mark;
  const callsIt = (found: string): boolean => found.includes(command);
  return {
    path,
    part: "hooks",
    isProgram: true,
    install: (found) => {
      if (found === "" || isOurs(found)) return ok(text);
      // A script of a person's own may start it beside other things.
      if (callsIt(found)) return ok(found);
      const hint = `add this line to it, or move it away: ${command}`;
      return fail({ message: "a hook of somebody else's stands there", hint });
    },
    uninstall: (found) => ok(isOurs(found) ? "" : found),
  };
}
