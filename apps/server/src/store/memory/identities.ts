import { fail, ok, type DeviceId, type Result } from "@tidemark/protocol";
import type { ConnectError, Identity, IdentityStore } from "../console-port.ts";
import { identityEntry } from "../console-rules.ts";
import type { AccountState, IdentityRow } from "./account-state.ts";
import { appendAudit } from "./audit.ts";
import { openSession, useSession } from "./console.ts";

/** Accounts at a provider of OpenID Connect, in memory. */
export function identityMethods(state: AccountState): IdentityStore {
  return {
    saveOidcFlow: async ({ stateHash, sessionHash, nowMs, endsAtMs }) => {
      for (const [hash, flow] of state.oidcFlows) {
        if (flow.endsAtMs <= nowMs) state.oidcFlows.delete(hash);
      }
      state.oidcFlows.set(stateHash, { sessionHash, endsAtMs });
    },
    takeOidcFlow: async (stateHash, nowMs) => {
      const flow = state.oidcFlows.get(stateHash);
      if (flow === undefined || flow.endsAtMs <= nowMs) return undefined;
      state.oidcFlows.delete(stateHash);
      return { sessionHash: flow.sessionHash };
    },
    connectIdentity: async (input) => connect(state, input),
    identities: async (asking) =>
      liveOf(state, asking)
        .map(({ issuer, connectedAtMs }) => ({ issuer, connectedAtMs }))
        .toSorted((left, right) => (left.issuer < right.issuer ? -1 : 1)),
    disconnectIdentity: async (input) => disconnect(state, input),
    openByIdentity: async ({ identity, ...session }) => {
      const row = find(state, identity);
      return row === undefined ? undefined : openSession(state, { ...session, device: row.device });
    },
  };
}

function find(state: AccountState, { issuer, subject }: Identity): IdentityRow | undefined {
  return [...state.identities.values()].find(
    (row) => row.issuer === issuer && row.subject === subject && isLive(state, row),
  );
}

function isLive(state: AccountState, { device }: IdentityRow): boolean {
  return state.devices.get(device)?.status === "active";
}

function liveOf(state: AccountState, asking: DeviceId): readonly IdentityRow[] {
  const by = state.devices.get(asking);
  if (by?.status !== "active") return [];
  return [...state.identities.values()].filter(
    (row) => isLive(state, row) && state.devices.get(row.device)?.user === by.user,
  );
}

function connect(
  state: AccountState,
  input: Parameters<IdentityStore["connectIdentity"]>[0],
): Result<void, ConnectError> {
  const { identity, actor, nowMs, network } = input;
  const { issuer } = identity;
  const session = useSession(state, input.sessionHash, nowMs);
  if (session === undefined || session.issuer !== undefined) return fail("signed-out");
  const { user, device } = session;
  if (liveOf(state, device.id).some((row) => row.issuer === issuer)) {
    return fail("connected-already");
  }
  if (find(state, identity) !== undefined) return fail("taken");
  state.identities.set(actor.id, { ...identity, device: actor.id, connectedAtMs: nowMs });
  state.devices.set(actor.id, {
    ...actor,
    platform: "browser",
    user: user.id,
    status: "active",
    mac: undefined,
    joinedName: actor.name,
    link: undefined,
    counter: 0,
    isBrowser: true,
    pairedAtMs: nowMs,
    lastSeenAtMs: undefined,
  });
  const by = { user: user.id, device: device.id, network };
  appendAudit(state, nowMs, identityEntry("identity-connected", by, { ...actor, issuer }));
  return ok(undefined);
}

function disconnect(
  state: AccountState,
  { asking, issuer, nowMs, network }: Parameters<IdentityStore["disconnectIdentity"]>[0],
): boolean {
  const row = liveOf(state, asking).find((one) => one.issuer === issuer);
  const actor = row === undefined ? undefined : state.devices.get(row.device);
  if (actor === undefined) return false;
  state.identities.delete(actor.id);
  for (const [hash, { device }] of state.consoleKeys) {
    if (device === actor.id) state.consoleKeys.delete(hash);
  }
  state.devices.set(actor.id, { ...actor, status: "revoked" });
  const by = { user: actor.user, device: asking, network };
  appendAudit(state, nowMs, identityEntry("identity-disconnected", by, { ...actor, issuer }));
  return true;
}
