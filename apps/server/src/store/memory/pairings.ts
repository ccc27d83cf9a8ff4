import { fail, ok, type Result, type UserId } from "@tidemark/protocol";
import { isSameName, type Named } from "@tidemark/protocol/wire";
import type {
  DecideError,
  LookUpError,
  NewPairing,
  PairingFacts,
  PairingState,
  PairingStore,
  StartError,
} from "../pairings-port.ts";
import {
  approvalRules,
  judgeApprover,
  pairingAfterlifeMs,
  pairingsMax,
  serverApprovals,
} from "../pairing-rules.ts";
import type { AccountState, StoredDevice, StoredPairing } from "./account-state.ts";
import { admitDevice, hasAllDevices, isKeyInUse } from "./admission.ts";
import { countAttempts, lockedUntilMs } from "./attempts.ts";
import { appendAudit } from "./audit.ts";

/** Requests of devices that show a code, in memory. */
export function pairingMethods(state: AccountState): PairingStore {
  return {
    startPairing: async (pairing) => start(state, pairing),
    pollPairing: async (input) => poll(state, input),
    lookUpPairing: async (input) => lookUp(state, input),
    decidePairing: async (input) => decide(state, input),
    sweepPairings: async (nowMs) => {
      sweep(state, nowMs);
    },
  };
}

function start(state: AccountState, pairing: NewPairing): Result<void, StartError> {
  const { nowMs, device, network } = pairing;
  const untilMs = lockedUntilMs(state, [serverApprovals]);
  if (untilMs > nowMs) return fail({ kind: "pairing-paused", untilMs });
  if (isKeyInUse(state, device)) return fail({ kind: "key-in-use" });
  sweep(state, nowMs);
  for (const [id, held] of state.pairings) {
    if (held.device.thumbprint === device.thumbprint) state.pairings.delete(id);
  }
  const live = [...state.pairings.values()].filter((held) => isLive(held, nowMs));
  const near = live.filter((held) => held.network === network);
  if (live.length >= pairingsMax.inAll || near.length >= pairingsMax.ofNetwork) {
    return fail({ kind: "too-many" });
  }
  if (live.some(({ code }) => code === pairing.code)) return fail({ kind: "code-taken" });
  state.pairings.set(pairing.id, { ...pairing, status: "pending", decidedBy: undefined });
  return ok(undefined);
}

function poll(
  state: AccountState,
  input: Parameters<PairingStore["pollPairing"]>[0],
): PairingState {
  const { id, nowMs, network } = input;
  const held = state.pairings.get(id);
  if (held === undefined || held.pollHash !== input.pollHash) return { kind: "unknown" };
  if (held.expiresAtMs + pairingAfterlifeMs <= nowMs) return { kind: "unknown" };
  if (held.device.thumbprint !== input.thumbprint) return { kind: "wrong-key" };
  if (held.status === "denied") return { kind: "denied" };
  const approver = held.decidedBy === undefined ? undefined : state.devices.get(held.decidedBy);
  if (held.status === "redeemed") return tellAgain(state, held, approver);
  if (held.expiresAtMs <= nowMs) return { kind: "expired" };
  if (held.status === "pending") return { kind: "pending" };
  if (!isPerson(approver)) return { kind: "denied" };
  return redeem(state, held, { approver, network, nowMs });
}

/** What a device that was admitted is told once more: the first answer may have been lost. */
function tellAgain(
  state: AccountState,
  { device: { id } }: StoredPairing,
  approver: StoredDevice | undefined,
): PairingState {
  const device = state.devices.get(id);
  const user = device === undefined ? undefined : state.users.get(device.user);
  if (device === undefined || user === undefined) return { kind: "key-in-use" };
  if (device.status !== "active" || approver === undefined) return { kind: "denied" };
  return {
    kind: "admitted",
    pair: { user: { id: user.id, name: user.name }, device: { id, name: device.name } },
    approvedBy: { id: approver.id, name: approver.name },
    isNameShared: isShared(state, user),
    isRepeat: true,
  };
}

function isShared(state: AccountState, { id, name }: Named<UserId>): boolean {
  return [...state.users.values()].some((other) => other.id !== id && isSameName(other.name, name));
}

function redeem(
  state: AccountState,
  held: StoredPairing,
  by: {
    readonly approver: StoredDevice;
    readonly network: string | undefined;
    readonly nowMs: number;
  },
): PairingState {
  const { device } = held;
  const { approver, network, nowMs } = by;
  if (hasAllDevices(state, approver.user)) return { kind: "too-many-devices" };
  state.pairings.set(held.id, { ...held, status: "redeemed" });
  if (isKeyInUse(state, device)) return { kind: "key-in-use" };
  const pair = admitDevice(state, device, { user: approver.user, nowMs });
  const { name, platform } = device;
  appendAudit(state, nowMs, {
    event: "device-joined",
    details: { name, platform, by: "code", approvedBy: approver.name },
    actorUser: approver.user,
    actorDevice: approver.id,
    aboutUser: approver.user,
    target: device.id,
    network,
  });
  const approvedBy = { id: approver.id, name: approver.name };
  const isNameShared = isShared(state, pair.user);
  return { kind: "admitted", pair, approvedBy, isNameShared, isRepeat: false };
}

function lookUp(
  state: AccountState,
  input: Parameters<PairingStore["lookUpPairing"]>[0],
): Result<PairingFacts, LookUpError> {
  const { nowMs, code } = input;
  const device = state.devices.get(input.asking);
  if (!isPerson(device)) return fail({ kind: "device-revoked" });
  const gate = gateOf(state, device, nowMs);
  if (!gate.ok) return gate;
  const found = [...state.pairings.values()].find(
    (held) => held.code === code && held.status === "pending" && held.expiresAtMs > nowMs,
  );
  if (found !== undefined) return ok(factsOf(found));
  const rules = approvalRules(device.user);
  countAttempts(state, [...rules, serverApprovals], nowMs);
  const until = lockedUntilMs(state, rules);
  if (until > nowMs) {
    appendAudit(state, nowMs, {
      event: "approvals-locked",
      details: { until },
      actorUser: device.user,
      actorDevice: device.id,
      aboutUser: device.user,
      target: device.user,
      network: input.network,
    });
  }
  return fail({ kind: "invalid-or-expired" });
}

function gateOf(
  state: AccountState,
  device: StoredDevice,
  nowMs: number,
): Result<void, Extract<LookUpError, { readonly untilMs: number }>> {
  const pausedMs = lockedUntilMs(state, [serverApprovals]);
  if (pausedMs > nowMs) return fail({ kind: "pairing-paused", untilMs: pausedMs });
  const untilMs = lockedUntilMs(state, approvalRules(device.user));
  return untilMs > nowMs ? fail({ kind: "approvals-locked", untilMs }) : ok(undefined);
}

function decide(
  state: AccountState,
  input: Parameters<PairingStore["decidePairing"]>[0],
): Result<void, DecideError> {
  const { nowMs, decision } = input;
  const device = state.devices.get(input.asking);
  if (!isPerson(device)) return fail({ kind: "device-revoked" });
  if (decision === "approved") {
    const gate = gateOf(state, device, nowMs);
    if (!gate.ok) return gate;
    const verdict = judgeApprover(approverOf(state, device), nowMs);
    if (verdict !== "ok") return fail({ kind: verdict });
  }
  const held = state.pairings.get(input.id);
  if (held === undefined || held.status !== "pending" || held.expiresAtMs <= nowMs) {
    return fail({ kind: "pair-not-pending" });
  }
  const decided = { status: decision, code: undefined, decidedBy: device.id };
  state.pairings.set(held.id, { ...held, ...decided });
  const { name, platform } = held.device;
  appendAudit(state, nowMs, {
    event: decision === "approved" ? "pairing-approved" : "pairing-denied",
    details: { name, platform },
    actorUser: device.user,
    actorDevice: device.id,
    aboutUser: device.user,
    network: input.network,
  });
  return ok(undefined);
}

function approverOf(
  state: AccountState,
  { pairedAtMs }: StoredDevice,
): Parameters<typeof judgeApprover>[0] {
  const hasOlder = [...state.devices.values()].some((other) => other.pairedAtMs < pairedAtMs);
  return { isActive: true, pairedAtMs, hasOlder };
}

function sweep(state: AccountState, nowMs: number): void {
  for (const [id, held] of state.pairings) {
    if (held.expiresAtMs + pairingAfterlifeMs <= nowMs) state.pairings.delete(id);
    else if (held.expiresAtMs <= nowMs) state.pairings.set(id, { ...held, code: undefined });
  }
}

/** Machines let nobody in. */
function isPerson(device: StoredDevice | undefined): device is StoredDevice {
  return device?.status === "active" && device.only === undefined;
}

function isLive(held: StoredPairing, nowMs: number): boolean {
  const isOpen = held.status === "pending" || held.status === "approved";
  return isOpen && held.expiresAtMs > nowMs;
}

function factsOf(held: StoredPairing): PairingFacts {
  const { id, device, mac, salt, network, nowMs, expiresAtMs } = held;
  const { name, platform, thumbprint } = device;
  return { id, name, platform, thumbprint, mac, salt, network, createdAtMs: nowMs, expiresAtMs };
}
