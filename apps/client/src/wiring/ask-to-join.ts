import { fail, ok, type Result } from "@tidemark/protocol";
import { systemClock } from "../platform/clock.ts";
import { hmacSha256, sha256 } from "../platform/hash.ts";
import { systemHttp } from "../platform/http.ts";
import type { Identity } from "../platform/identity.ts";
import { systemRandom } from "../platform/random.ts";
import { slowKey } from "../platform/slow-hash.ts";
import { systemTimers } from "../platform/timers.ts";
import type { AccessError } from "../sync/access/access-error.ts";
import { createAccounts } from "../sync/access/accounts.ts";
import { createCredentials } from "../sync/access/auth.ts";
import { createKeySigner, type SigningKey } from "../sync/access/key-signer.ts";
import type { Newcomer } from "../sync/access/pairing.ts";
import { askToJoin, type CodeShown, type LetIn } from "../sync/access/pulled-pairing.ts";
import { createCaller } from "../sync/http/caller.ts";
import { openCaller } from "./server.ts";

/** Somebody let this device in; nothing is kept or sent until it accepts. */
export interface Invitation {
  readonly user: Identity["user"];
  readonly serverUrl: string;
  /** The name of the device that let it in. */
  readonly approvedBy: string;
  /** Whether the server knows somebody else by the person's name. */
  readonly isNameShared: boolean;
  accept(): void;
  /** Tells the server to shut this device out again, as far as it can be reached. */
  refuse(signal: AbortSignal): Promise<void>;
}

/** What happens while the device waits. */
export interface Waiting {
  readonly show: (shown: CodeShown) => void;
  /** About once a second. */
  readonly tick: () => void;
}

/** Asks a server to let this device in, by a code that somebody approves (PR1). */
export async function askServer(
  serverUrl: string,
  own: { readonly newcomer: Newcomer; readonly key: SigningKey },
  waiting: Waiting,
  signal: AbortSignal,
): Promise<Result<LetIn, AccessError>> {
  const deps = {
    caller: openCaller(serverUrl),
    signer: createKeySigner({ key: own.key, random: systemRandom, sha256 }),
    hashes: { hmacSha256, slowKey },
    random: systemRandom,
    clock: systemClock,
    timers: systemTimers,
  };
  const stop = systemTimers.every(1_000, waiting.tick);
  try {
    return await askToJoin(deps, own.newcomer, waiting.show, signal);
  } finally {
    stop();
  }
}

/** Gives the device up that a server has just let in under a key. */
export async function giveUp(
  serverUrl: string,
  own: { readonly letIn: LetIn; readonly key: SigningKey },
  signal: AbortSignal,
): Promise<Result<void, AccessError>> {
  const { device } = own.letIn.admission;
  const credentials = createCredentials({
    caller: openCaller(serverUrl),
    device: device.id,
    key: own.key,
    clock: systemClock,
    random: systemRandom,
    sha256,
    nextCounter: (above, nowMs) => Math.max(above + 1, nowMs),
  });
  const network = systemHttp;
  const caller = createCaller({ serverUrl, network, timers: systemTimers, credentials });
  const hashes = { sha256, hmacSha256 };
  const accounts = createAccounts({ caller, hashes, random: systemRandom });
  // A person's last device goes by force alone, and this one may have become theirs meanwhile.
  const done = await accounts.revokeDevice({ id: device.id, isForced: true }, signal);
  return done.ok ? ok(undefined) : fail(done.error);
}
