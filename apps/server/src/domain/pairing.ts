import { base32, fail, ok, type Result } from "@tidemark/protocol";
import { drawPairCode, type PairStartAnswer, type PairStartRequest } from "@tidemark/protocol/wire";
import type { AdmittedDevice } from "../store/accounts-port.ts";
import type { PairingStore, StartError } from "../store/pairings-port.ts";

/** Life of a code, in milliseconds (PR1). */
const pairingLifeMs = 300_000;
/** How often a device may ask what became of its request, in milliseconds (PR7). */
export const pollIntervalMs = 2_000;
/** Codes that are drawn before a server with a broken generator gives up. */
const drawsMax = 8;

/** What starting to pair needs. */
export interface PairingDeps {
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  /** What the server keeps of a secret. */
  readonly hash: (secret: string) => string;
  readonly accounts: Pick<PairingStore, "startPairing">;
}

/** Why a device may not show a code. */
export type PairStartError = Exclude<StartError, { readonly kind: "code-taken" }>;

/** Takes the request of a device that nobody knows, and gives it a code to show (PR1). */
export async function startPairing(
  deps: PairingDeps,
  request: Pick<PairStartRequest, "mac" | "salt"> & { readonly device: AdmittedDevice },
  network: string | undefined,
): Promise<Result<PairStartAnswer, PairStartError>> {
  const { random } = deps;
  const id = `pair_${base32(random.bytes(16))}`;
  const secret = toBase64Url(random.bytes(32));
  const nowMs = deps.clock.nowMs();
  const expiresAtMs = nowMs + pairingLifeMs;
  for (let draw = 0; draw < drawsMax; draw += 1) {
    const code = drawPairCode((count) => random.bytes(count));
    const pollHash = deps.hash(secret);
    const times = { nowMs, expiresAtMs };
    const started = await deps.accounts.startPairing({
      ...request,
      ...times,
      id,
      pollHash,
      code,
      network,
    });
    if (started.ok) {
      const intervalMs = pollIntervalMs;
      return ok({ id, secret, code, expiresInMs: pairingLifeMs, intervalMs });
    }
    if (started.error.kind !== "code-taken") return fail(started.error);
  }
  // A hundred codes of 25 billion wait at most: this is a generator that repeats itself.
  return fail({ kind: "too-many" });
}

function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
