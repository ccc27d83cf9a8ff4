import type { Memory } from "../../wiring/memory.ts";
import { trouble, type Trouble } from "./trouble.ts";

/**
 * Takes in all that hooks could not store, where what follows is about everything that there is
 * (CL51), and says so where some of it still waits.
 */
export function takeAllSpooled(memory: Memory): Trouble | undefined {
  if (memory.takeSpooled(Number.POSITIVE_INFINITY)) return undefined;
  return trouble({
    code: "spooled",
    message: "some captures wait in the spool and are not part of this",
    hint: "run it again; if they stay, `tidemark doctor` says why",
  });
}
