import {
  fail,
  isAtLeast,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type UserId,
} from "@tidemark/protocol";
import type { LinkInfo } from "@tidemark/protocol/wire";
import type { AccountStore, LinkRow, NewLinkError } from "../accounts-port.ts";
import { openLinksMax } from "../admission-rules.ts";
import type { AccountState, StoredDevice, StoredLink } from "./account-state.ts";
import { linkMadeEntry, linkRevokedEntries } from "../audit-entries.ts";
import { judgeLinkMaker, type Approver } from "../pairing-rules.ts";
import { isOpen } from "./admission.ts";
import { appendAudit } from "./audit.ts";

/** The links of a person, in memory. */
export function linkMethods(
  state: AccountState,
  clock: { nowMs(): number },
  pushesEnded: (namespaces: readonly NamespaceId[]) => Promise<void>,
): Pick<AccountStore, "createLink" | "links" | "revokeLink"> {
  return {
    createLink: async (link, network) => createLink(state, link, { nowMs: clock.nowMs(), network }),
    links: async (asking, nowMs) => {
      const user = state.devices.get(asking)?.user;
      return [...state.links.values()]
        .filter((link) => user !== undefined && isTheirs(state, link, user))
        .map((link) => ({ ...infoOf(state, link, nowMs), ...makerFor(state, link, user) }))
        .filter(({ status, kind, devices }) => status === "open" || (kind === "ci" && devices > 0))
        .toSorted((left, right) => left.expiresAt - right.expiresAt);
    },
    revokeLink: async (input) => {
      const shutOut = revokeLink(state, input);
      if (shutOut === undefined) return undefined;
      input.onShutOut?.(shutOut);
      const { kind, namespace } = state.links.get(input.id) ?? {};
      const isWaiting = input.withDevices && kind === "ci" && namespace !== undefined;
      if (isWaiting) await pushesEnded([namespace]);
      return shutOut;
    },
  };
}

function createLink(
  state: AccountState,
  link: LinkRow,
  { nowMs, network }: { readonly nowMs: number; readonly network: string | undefined },
): Result<void, NewLinkError> {
  const verdict = judgeLinkMaker(link.kind, linkMaker(state, link.createdByDevice), nowMs);
  if (verdict !== "ok") return fail({ kind: verdict });
  const open = [...state.links.values()].filter(
    (held) => held.createdBy === link.createdBy && isUnused(held, nowMs),
  );
  if (open.length >= openLinksMax) return fail({ kind: "too-many-links" });
  state.links.set(link.id, { ...link, uses: 0, isRevoked: false });
  appendAudit(state, nowMs, linkMadeEntry(link, network));
  return ok(undefined);
}

function linkMaker(state: AccountState, id: DeviceId): Approver | undefined {
  const device = state.devices.get(id);
  if (device === undefined) return undefined;
  const { user, status, only, pairedAtMs } = device;
  const hasOlder = [...state.devices.values()].some(
    (other) => other.user === user && other.pairedAtMs < pairedAtMs,
  );
  return { isActive: status === "active" && only === undefined, pairedAtMs, hasOlder };
}

function isUnused(
  { uses, usesMax = 1, isRevoked, expiresAtMs }: StoredLink,
  nowMs: number,
): boolean {
  return !isRevoked && uses < usesMax && expiresAtMs > nowMs;
}

/** Whose link it is, where it is not the asking person's own. */
function makerFor(
  state: AccountState,
  { createdBy: id }: StoredLink,
  user: UserId | undefined,
): Pick<LinkInfo, "maker"> {
  return id === user ? {} : { maker: { id, name: state.users.get(id)?.name ?? "" } };
}

function infoOf(state: AccountState, link: StoredLink, nowMs: number): LinkInfo {
  const { id, kind, namespace, role, networks, uses, usesMax = 1, expiresAtMs: expiresAt } = link;
  const { job, ephemeral } = link;
  return {
    id,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(role === undefined ? {} : { role }),
    ...(networks === undefined ? {} : { networks }),
    ...(job === undefined ? {} : { job }),
    ...(ephemeral === true ? { ephemeral } : {}),
    status: isOpen(state, link, nowMs) ? "open" : "closed",
    uses,
    usesMax,
    expiresAt,
    devices: admittedBy(state, link).length,
  };
}

function revokeLink(
  state: AccountState,
  input: Parameters<AccountStore["revokeLink"]>[0],
): readonly DeviceId[] | undefined {
  const link = state.links.get(input.id);
  const asking = state.devices.get(input.asking);
  if (link === undefined || asking?.status !== "active" || asking.only !== undefined) {
    return undefined;
  }
  if (!isTheirs(state, link, asking.user)) return undefined;
  state.links.set(link.id, { ...link, isRevoked: true });
  const shutOut = input.withDevices && link.kind === "ci" ? admittedBy(state, link) : [];
  for (const device of shutOut) state.devices.set(device.id, { ...device, status: "revoked" });
  if (link.isRevoked && shutOut.length === 0) return [];
  const by = { user: asking.user, device: asking.id, network: input.network };
  const ended = { ...link, maker: link.createdBy };
  appendAudit(state, input.nowMs, ...linkRevokedEntries(ended, by, shutOut));
  return shutOut.map(({ id }) => id);
}

/** Whether a link is a person's, or lets machines into a namespace that they administer. */
function isTheirs(state: AccountState, link: StoredLink, user: UserId): boolean {
  if (link.createdBy === user) return true;
  const { kind, namespace } = link;
  if (kind !== "ci" || namespace === undefined) return false;
  const role = state.namespaces.get(namespace)?.members.get(user);
  return role !== undefined && isAtLeast(role, "admin");
}

// Who came in by an invite is somebody else, whose devices are theirs alone to shut out.
function admittedBy(state: AccountState, link: StoredLink): readonly StoredDevice[] {
  return [...state.devices.values()].filter(
    (device) =>
      device.link === link.id && device.user === link.createdBy && device.status === "active",
  );
}
