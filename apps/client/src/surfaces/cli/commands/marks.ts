import type { Result } from "@tidemark/protocol";
import type { MemoryDeps } from "../../../memory/deps.ts";
import type { EditError } from "../../../memory/edit.ts";
import {
  archiveObservation,
  pinObservation,
  unarchiveObservation,
  unpinObservation,
} from "../../../memory/pin.ts";
import type { Changed } from "../../../store/local-store.ts";
import type { Command } from "../command.ts";
import { memoryAt, placeOption } from "../scope.ts";
import { changedOutcome } from "../shown.ts";

/** Keeps an observation in every session's context. An agent that runs it in its shell vouches for nothing. */
export const pin: Command = mark(pinObservation, "pinned");
/** Undoes {@link pin}. */
export const unpin: Command = mark(unpinObservation, "unpinned");
/** Hides an observation. */
export const archive: Command = mark(archiveObservation, "archived");
/** Undoes {@link archive}. */
export const unarchive: Command = mark(unarchiveObservation, "unarchived");

function mark(
  change: (deps: MemoryDeps, id: string, by: "user" | "agent") => Result<Changed, EditError>,
  done: string,
): Command {
  return {
    arguments: [{ syntax: "<id>", help: "an observation's id, or its first 6 characters or more" }],
    options: [placeOption],
    run: (deps, call) => {
      const memory = memoryAt(deps, call);
      if (!memory.ok) return memory;
      const changed = change(memory.value, call.args[0] ?? "", deps.origin);
      return changedOutcome(deps, memory.value, changed, done);
    },
  };
}
