import { fail, ok, type Result } from "@tidemark/protocol";
import type { AccountStore, AdmissionError, AdmittedPair } from "../accounts-port.ts";
import { setupSecretsMax } from "../admission-rules.ts";
import { joinedEntry, resetEntry } from "../audit-entries.ts";
import type { AccountState, StoredUser } from "./account-state.ts";
import { admitDevice, claim, isKeyInUse } from "./admission.ts";
import { appendAudit } from "./audit.ts";

/** A secret that opens the server, or lets a device of its owner in. */
interface SetupSecret {
  readonly secretHash: string;
  readonly expiresAtMs: number;
}

/** See `AccountStore.saveOwnerReset`. */
export function saveOwnerReset(
  state: AccountState,
  secret: Parameters<AccountStore["saveOwnerReset"]>[0],
): string | undefined {
  const { nowMs } = secret;
  const owner = state.server?.claimedAtMs === undefined ? undefined : ownerOf(state);
  if (owner === undefined) return undefined;
  addSetupSecret(state, secret, nowMs);
  appendAudit(state, nowMs, resetEntry(owner));
  return owner.name;
}

/** Adds a secret; expired ones and the oldest give way. */
export function addSetupSecret(state: AccountState, secret: SetupSecret, nowMs: number): void {
  const { server } = state;
  if (server === undefined) return;
  const kept = [...server.setup]
    .filter(([, expiresAtMs]) => expiresAtMs > nowMs)
    .toSorted(([, left], [, right]) => left - right)
    .slice(1 - setupSecretsMax);
  state.server = {
    ...server,
    setup: new Map([...kept, [secret.secretHash, secret.expiresAtMs]]),
  };
}

/** See `AccountStore.claim`: a server that has an owner may take one more device of theirs. */
export function claimOrReset(
  state: AccountState,
  input: Parameters<AccountStore["claim"]>[0],
): Result<AdmittedPair, AdmissionError> {
  const pair = claim(state, input);
  if (pair.ok || pair.error.kind !== "already-claimed") return pair;
  return redeemOwnerReset(state, input);
}

function redeemOwnerReset(
  state: AccountState,
  input: Parameters<AccountStore["claim"]>[0],
): Result<AdmittedPair, AdmissionError> {
  const { secretHash, nowMs, device, network } = input;
  const { server } = state;
  const isLive = (server?.setup.get(secretHash) ?? 0) > nowMs;
  const owner = isLive ? ownerOf(state) : undefined;
  if (server === undefined || owner === undefined) return fail({ kind: "already-claimed" });
  if (isKeyInUse(state, device)) return fail({ kind: "key-in-use" });
  state.server = { ...server, setup: new Map() };
  const pair = admitDevice(state, device, { user: owner.id, nowMs });
  const by = { user: owner.id, device: device.id, network };
  appendAudit(state, nowMs, joinedEntry(device, by, { by: "owner-reset" }));
  return ok(pair);
}

function ownerOf(state: AccountState): StoredUser | undefined {
  return [...state.users.values()].find(({ isOwner }) => isOwner);
}
