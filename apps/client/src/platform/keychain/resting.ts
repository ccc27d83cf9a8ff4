import { rmSync, statSync } from "node:fs";
import { fail } from "@tidemark/protocol";
import type { Clock } from "../clock.ts";
import { readPrivateFile, replacePrivateFile } from "../private-file.ts";
import type { Keychain } from "./keychain.ts";

/** How long a locked keychain is left alone by what runs in the background, in milliseconds. */
const restMs = 5 * 60_000;

/**
 * A keychain that is not asked again for five minutes after it was locked or silent: each question
 * to a locked one opens a window on somebody's desktop. A command that somebody gave asks at once
 * (`isUrgent`), and an answer ends the rest for all.
 */
export function restingKeychain(
  keychain: Keychain,
  deps: { readonly clock: Clock; readonly path: string; readonly isUrgent: boolean },
): Keychain {
  const { clock, path, isUrgent } = deps;
  return {
    ...keychain,
    read: async (account) => {
      const resting = isUrgent ? undefined : restOf(clock, path);
      if (resting !== undefined) return fail(resting);
      const answer = await keychain.read(account);
      const why = answer.ok ? undefined : answer.error;
      if (why === "no-answer" || why === "refused") replacePrivateFile(path, why);
      else rmSync(path, { force: true });
      return answer;
    },
  };
}

function restOf(clock: Clock, path: string): "no-answer" | "refused" | undefined {
  const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (changedMs === undefined || Math.abs(clock.nowMs() - changedMs) >= restMs) return undefined;
  const why = readPrivateFile(path);
  return why.ok && (why.value === "no-answer" || why.value === "refused") ? why.value : undefined;
}
