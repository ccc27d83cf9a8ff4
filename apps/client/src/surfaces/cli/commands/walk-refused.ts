import type { RejectedOpView } from "../../../store/local-store.ts";
import type { Call } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { startProgress } from "../progress.ts";
import { createStopLook } from "../stop-look.ts";
import { interrupted, type Trouble } from "../trouble.ts";

/** Refused changes to go through, and what is done to them, as in `sending again`. */
export interface RefusedWalk {
  readonly ops: readonly RejectedOpView[];
  readonly doing: string;
}

/**
 * Takes one refused change after the other, tells how far it is (TM6), and ends where somebody stops
 * it (CL65), which is given then.
 */
export async function walkRefused(
  deps: Pick<CliDeps, "clock" | "io" | "signal" | "sleep">,
  { isJson }: Pick<Call, "isJson">,
  { ops, doing }: RefusedWalk,
  take: (op: RejectedOpView) => void,
): Promise<Trouble | undefined> {
  const progress = startProgress(deps, { isRead: isJson });
  const isStopped = createStopLook(deps);
  try {
    for (const [at, op] of ops.entries()) {
      if (await isStopped()) return stoppedWalk;
      progress.tell(`${doing}: ${at} of ${ops.length}`, at / ops.length);
      take(op);
    }
    return undefined;
  } finally {
    progress.end();
  }
}

const stoppedWalk = interrupted(
  "stopped before all was done",
  "what was done stays, and the same command goes on; `tidemark outbox list` shows what is left",
);
