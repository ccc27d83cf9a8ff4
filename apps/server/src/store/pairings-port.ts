import type { DeviceId, Result } from "@tidemark/protocol";
import type { Named } from "@tidemark/protocol/wire";
import type { AdmittedDevice, AdmittedPair } from "./accounts-port.ts";

/** A device that shows a code, as it is kept until somebody has decided. */
export interface NewPairing {
  readonly id: string;
  /** Hash of what the device polls with. */
  readonly pollHash: string;
  /** The server's half of the code. */
  readonly code: string;
  readonly device: AdmittedDevice;
  readonly mac: string;
  readonly salt: string;
  /** The prefix of its network, where it is known. */
  readonly network: string | undefined;
  readonly nowMs: number;
  readonly expiresAtMs: number;
}

/** Why a device may not show a code. */
export type StartError =
  /** Another request that waits has the code: draw another one. */
  | { readonly kind: "code-taken" }
  | { readonly kind: "key-in-use" }
  /** Too many requests wait, from this network or in all. */
  | { readonly kind: "too-many" }
  | { readonly kind: "pairing-paused"; readonly untilMs: number };

/** What became of a request, for the device that made it. */
export type PairingState =
  | { readonly kind: "pending" }
  | { readonly kind: "denied" | "expired" }
  /** There is no such request, or not with this secret; one that is long over is none. */
  | { readonly kind: "unknown" }
  | { readonly kind: "wrong-key" }
  | { readonly kind: "key-in-use" | "too-many-devices" }
  | {
      readonly kind: "admitted";
      readonly pair: AdmittedPair;
      readonly approvedBy: Named<DeviceId>;
      /** Whether somebody else on the server has the person's name. */
      readonly isNameShared: boolean;
      /** Whether this was told before, to somebody who may not have heard it. */
      readonly isRepeat: boolean;
    };

/** A request that waits, as whoever decides about it reads it. */
export interface PairingFacts {
  readonly id: string;
  readonly name: string;
  readonly platform: string;
  readonly thumbprint: string;
  readonly mac: string;
  readonly salt: string;
  readonly network: string | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** Why codes are not looked up for somebody. */
export type LookUpError =
  | { readonly kind: "invalid-or-expired" | "device-revoked" }
  | { readonly kind: "approvals-locked" | "pairing-paused"; readonly untilMs: number };

/** Why a decision does not count. */
export type DecideError =
  | { readonly kind: "pair-not-pending" | "approver-too-new" | "device-revoked" }
  | { readonly kind: "approvals-locked" | "pairing-paused"; readonly untilMs: number };

/** Requests of devices that show a code (PR1 to PR7). Each method is one transaction. */
export interface PairingStore {
  /** Keeps a request; one that the same key made before ends. */
  startPairing(pairing: NewPairing): Promise<Result<void, StartError>>;
  /**
   * Tells what became of a request. An approved one admits its device, once; whoever asks again
   * with the same secret and key is told the same, until the request is swept (PR4).
   */
  pollPairing(input: {
    readonly id: string;
    readonly pollHash: string;
    /** Of the key that the poll was proven by. */
    readonly thumbprint: string;
    readonly network: string | undefined;
    readonly nowMs: number;
  }): Promise<PairingState>;
  /** Finds a request that waits, by its code; what is not found counts as a guess (PR6). */
  lookUpPairing(input: {
    readonly asking: DeviceId;
    readonly code: string;
    readonly network: string | undefined;
    readonly nowMs: number;
  }): Promise<Result<PairingFacts, LookUpError>>;
  /** Approves or denies a request that waits; the first decision is the only one (PR4). */
  decidePairing(input: {
    readonly asking: DeviceId;
    readonly id: string;
    readonly decision: "approved" | "denied";
    readonly network: string | undefined;
    readonly nowMs: number;
  }): Promise<Result<void, DecideError>>;
  /** Takes the codes of requests that are over, and a while later all that was kept of them. */
  sweepPairings(nowMs: number): Promise<void>;
}
