import { fail, ok, type DeviceId, type Result } from "@tidemark/protocol";
import type { DeviceRevoked } from "@tidemark/protocol/wire";
import type { AccountStore, RevokeError, Watched } from "../accounts-port.ts";
import { deviceEntry } from "../audit-entries.ts";
import type { AccountState, StoredDevice } from "./account-state.ts";
import { isOpen } from "./admission.ts";
import { appendAudit } from "./audit.ts";
import { namespacesOf } from "./namespaces.ts";

/** See `AccountStore.revokeDevice`; the caller waits for the pushes that are under way. */
export function revokeDevice(
  state: AccountState,
  input: Parameters<AccountStore["revokeDevice"]>[0],
  nowMs: number,
): Result<DeviceRevoked, RevokeError> {
  const { asking, id, isForced = false, network } = input;
  const by = state.devices.get(asking);
  const user = by?.status === "active" ? by.user : undefined;
  const found = state.devices.get(id);
  if (found === undefined || found.user !== user) return fail({ kind: "not-found" });
  const isActive = found.status === "active";
  const isPerson = found.only === undefined && found.isBrowser !== true;
  if (isActive && isPerson && !isForced && !hasAnother(state, found)) {
    return fail({ kind: "last-device" });
  }
  const review = reviewOf(state, { id, asking }, nowMs);
  if (!isActive) return ok(review);
  state.devices.set(id, { ...found, status: "revoked" });
  const device = { id, name: found.name, before: found.name };
  appendAudit(
    state,
    nowMs,
    deviceEntry("device-revoked", { user, device: asking, network }, device),
  );
  return ok(review);
}

function hasAnother(state: AccountState, { user, id }: StoredDevice): boolean {
  return [...state.devices.values()].some(
    (other) =>
      other.user === user &&
      other.id !== id &&
      other.status === "active" &&
      other.only === undefined &&
      other.isBrowser !== true,
  );
}

function reviewOf(
  state: AccountState,
  { id, asking }: { readonly id: DeviceId; readonly asking: DeviceId },
  nowMs: number,
): DeviceRevoked {
  const made = [...state.links.values()].filter((link) => link.createdByDevice === id);
  const madeIds = new Set<string | undefined>(made.map((link) => link.id));
  // By a link that it made, or by a code that it approved.
  const joined = state.audit.filter(
    ({ event, actorDevice }) => event === "device-joined" && actorDevice === id,
  );
  const approved = new Set<string | null>(joined.map(({ target }) => target));
  const devices = [...state.devices.values()].filter(
    (device) =>
      device.id !== id &&
      device.id !== asking &&
      device.status === "active" &&
      (approved.has(device.id) || (device.link !== undefined && madeIds.has(device.link))),
  );
  const connected = new Set<string | null>(
    state.audit
      .filter(({ event, actorDevice }) => event === "identity-connected" && actorDevice === id)
      .map(({ target }) => target),
  );
  const accounts = [...state.identities.values()]
    .filter(({ device }) => connected.has(device) && state.devices.get(device)?.status === "active")
    .map(({ issuer, connectedAtMs: connectedAt }) => ({ issuer, connectedAt }))
    .toSorted((left, right) => (left.issuer < right.issuer ? -1 : 1));
  return {
    links: made
      .filter((link) => isOpen(state, link, nowMs, true))
      .toSorted((left, right) => left.expiresAtMs - right.expiresAtMs)
      .map((link) => ({ id: link.id, kind: link.kind })),
    devices: devices
      .toSorted((left, right) => left.pairedAtMs - right.pairedAtMs)
      .map(({ id: device, name, user }) => ({
        id: device,
        name,
        user: { id: user, name: state.users.get(user)?.name ?? "" },
      })),
    namespaces: namespacesOf(state, id).map(({ id: namespace, name }) => ({ id: namespace, name })),
    ...(accounts.length === 0 ? {} : { accounts }),
  };
}

/** See `AccountStore.watched`. */
export function watchedIn(
  state: AccountState,
  { namespaces, devices }: Parameters<AccountStore["watched"]>[0],
): Watched {
  const heads = namespaces.flatMap((id) => {
    const namespace = state.namespaces.get(id);
    return namespace === undefined ? [] : [[id, namespace.head.head] as const];
  });
  return {
    heads: new Map(heads),
    revoked: devices.filter((id) => state.devices.get(id)?.status === "revoked"),
  };
}
