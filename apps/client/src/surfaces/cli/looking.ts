import { fail } from "@tidemark/protocol";
import { endable, signalsHeard } from "../../platform/stop-signals.ts";
import { createCheckNotice } from "./check-notice.ts";
import type { Outcome } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { interrupted } from "./trouble.ts";

/**
 * Does work that reads the store without ever waiting, and changes nothing: Ctrl-C ends it at once
 * (CL84). `doing` is said in a terminal, of work that goes through all of a large store (TM10).
 */
export async function looking(
  deps: Pick<CliDeps, "io" | "files" | "home" | "signal">,
  doing: string | undefined,
  work: () => Outcome,
): Promise<Outcome> {
  await signalsHeard();
  if (deps.signal.aborted) return fail(stoppedEarly);
  const notice = createCheckNotice(deps.io, () => deps.files.bytes(deps.home().paths.database));
  if (doing !== undefined) notice.begin(doing);
  try {
    return endable(work);
  } finally {
    notice.end();
  }
}

const stoppedEarly = interrupted("stopped before it was done", "run the same command again");
