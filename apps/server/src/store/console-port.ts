import type { DeviceId, UserId } from "@tidemark/protocol";
import type { Named } from "@tidemark/protocol/wire";

/** A browser that is signed in, as whom, and by which device. */
export interface ConsoleSession {
  readonly user: Named<UserId> & { readonly isOwner: boolean };
  readonly device: Named<DeviceId>;
  /** When its link was opened: dangerous acts want this to be a moment ago (CO5). */
  readonly madeAtMs: number;
}

/** Sign-in links and sessions of the console; of their secrets only hashes are kept (CO1). */
export interface ConsoleStore {
  /** Keeps a link of a person's device in the place of its last one; false for any other device. */
  saveConsoleLink(link: {
    readonly hash: string;
    readonly asking: DeviceId;
    readonly nowMs: number;
    readonly endsAtMs: number;
  }): Promise<boolean>;
  /** Takes a link, once, and opens the session that it is for; undefined where it opens nothing. */
  openConsole(input: {
    readonly linkHash: string;
    readonly sessionHash: string;
    readonly nowMs: number;
    readonly endsAtMs: number;
    readonly network: string | undefined;
  }): Promise<ConsoleSession | undefined>;
  /**
   * Finds a session that is neither over nor idle and whose device is still let in (CO2), and notes
   * that it was used.
   */
  consoleSession(hash: string, nowMs: number): Promise<ConsoleSession | undefined>;
  /** Ends a session. */
  closeConsole(hash: string): Promise<void>;
}
