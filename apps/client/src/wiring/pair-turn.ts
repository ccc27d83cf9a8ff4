import { join } from "node:path";
import { fail, type Result } from "@tidemark/protocol";
import type { SyncLock } from "../platform/sync-lock.ts";
import type { AccessError } from "../sync/access/access-error.ts";
import type { Invitation } from "./ask-to-join.ts";
import type { Home } from "./home.ts";
import { waitTurn } from "./wait-turn.ts";

/** Longest wait for another program that pairs, in ms: one that shows a code may take minutes. */
const waitMsMax = 3_000;

/**
 * One program pairs a home at a time (CL90): another one would take a key that has just been let in
 * for one that an earlier try left over, and put a new key in its place.
 */
export async function inPairTurn<T>(
  home: Home,
  work: () => Promise<Result<T, AccessError>>,
): Promise<Result<T, AccessError>> {
  const turn = await takePairTurn(home);
  if (!turn.ok) return turn;
  try {
    return await work();
  } finally {
    turn.value.release();
  }
}

/** The turn itself, for what does not end with one call. */
export async function takePairTurn({ paths }: Home): Promise<Result<SyncLock, AccessError>> {
  const turn = await waitTurn(join(paths.stateHome, "pair.lock"), waitMsMax);
  if (turn.ok) return turn;
  const { pid } = turn.error;
  const who = pid === undefined ? "" : ` (process ${String(pid)})`;
  return fail({
    code: "busy",
    message: `this device is being paired by another program${who}`,
    hint: "let it come to its end, or end it, then run this again",
  });
}

/** An invitation that gives the turn back once it is decided. */
export function endingWith(invitation: Invitation, turn: SyncLock): Invitation {
  return {
    ...invitation,
    accept: () => {
      try {
        invitation.accept();
      } finally {
        turn.release();
      }
    },
    refuse: async (signal) => {
      await invitation.refuse(signal).finally(() => {
        turn.release();
      });
    },
  };
}
