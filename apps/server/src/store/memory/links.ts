import type { DeviceId } from "@tidemark/protocol";
import type { LinkInfo } from "@tidemark/protocol/wire";
import type { AccountStore } from "../accounts-port.ts";
import type { AccountState, StoredDevice, StoredLink } from "./account-state.ts";
import { isOpen } from "./admission.ts";
import { appendAudit } from "./audit.ts";

/** The links of a person, in memory. */
export function linkMethods(state: AccountState): Pick<AccountStore, "links" | "revokeLink"> {
  return {
    links: async (asking, nowMs) => {
      const user = state.devices.get(asking)?.user;
      return [...state.links.values()]
        .filter((link) => link.createdBy === user)
        .map((link) => infoOf(state, link, nowMs))
        .filter(({ status, kind, devices }) => status === "open" || (kind === "ci" && devices > 0))
        .toSorted((left, right) => left.expiresAt - right.expiresAt);
    },
    revokeLink: async (input) => revokeLink(state, input),
  };
}

function infoOf(state: AccountState, link: StoredLink, nowMs: number): LinkInfo {
  const { id, kind, namespace, role, uses, usesMax = 1, expiresAtMs: expiresAt } = link;
  return {
    id,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(role === undefined ? {} : { role }),
    status: isOpen(state, link, nowMs) ? "open" : "closed",
    uses,
    usesMax,
    expiresAt,
    devices: admittedBy(state, id).length,
  };
}

function revokeLink(
  state: AccountState,
  input: Parameters<AccountStore["revokeLink"]>[0],
): readonly DeviceId[] | undefined {
  const link = state.links.get(input.id);
  const asking = state.devices.get(input.asking);
  if (link === undefined || asking?.status !== "active" || asking.user !== link.createdBy) {
    return undefined;
  }
  state.links.set(link.id, { ...link, isRevoked: true });
  const shutOut = input.withDevices ? admittedBy(state, link.id) : [];
  for (const device of shutOut) state.devices.set(device.id, { ...device, status: "revoked" });
  const actor = { actorUser: asking.user, actorDevice: asking.id, network: input.network };
  appendAudit(
    state,
    input.nowMs,
    {
      ...actor,
      event: "link-revoked",
      details: { kind: link.kind, devices: shutOut.length },
      namespace: link.namespace,
      target: link.id,
    },
    ...shutOut.map(
      ({ id, name, user }) =>
        ({
          ...actor,
          event: "device-revoked",
          details: { name },
          aboutUser: user,
          target: id,
        }) as const,
    ),
  );
  return shutOut.map(({ id }) => id);
}

function admittedBy(state: AccountState, link: string): readonly StoredDevice[] {
  return [...state.devices.values()].filter(
    (device) => device.link === link && device.status === "active",
  );
}
