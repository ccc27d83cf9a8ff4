import { pause } from "../../sync/ports.ts";
import type { CliDeps } from "./deps.ts";
import type { Progress } from "./progress.ts";
import { counted } from "./render/text.ts";
import { trouble, type Trouble } from "./trouble.ts";

/** How long captures are taken in between two looks at who wants to stop, in milliseconds. */
const sliceMs = 500;

/**
 * Takes in all that hooks could not store, where what follows is about everything that there is
 * (CL51), and says so where some of it still waits.
 */
export async function takeAllSpooled(
  deps: Pick<CliDeps, "memory" | "signal" | "sleep">,
  progress: Progress,
): Promise<Trouble | undefined> {
  const memory = deps.memory();
  let count = 0;
  while (memory.hasSpooled() && !deps.signal.aborted) {
    const taken = memory.takeSpooled(sliceMs);
    if (taken === 0) break;
    count += taken;
    progress.tell(`taking in what waited in the spool: ${counted(count, "capture")}`);
    // A signal is heard between two turns alone; the loop looks at it.
    await pause(deps, 0, deps.signal);
  }
  progress.end();
  if (!memory.hasSpooled()) return undefined;
  return trouble({
    code: "spooled",
    message: "some captures wait in the spool and are not part of this",
    hint: "run it again; if they stay, `tidemark doctor` says why",
  });
}
