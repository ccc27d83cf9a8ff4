import {
  base32,
  fail,
  isAtLeast,
  ok,
  type NamespaceId,
  type Result,
  type Role,
} from "@tidemark/protocol";
import type { LinkAnswer, LinkKind, LinkRequest, NamespaceInfo } from "@tidemark/protocol/wire";
import { isNetwork } from "../networks.ts";
import type { AccountStore, DeviceRow, NewLinkError } from "../store/accounts-port.ts";

/** Life of a link to one's own next device when nothing else is asked, in seconds. */
const deviceLinkLifeS = 600;
/** Life of an invite when nothing else is asked, in seconds. */
const inviteLifeS = 72 * 3600;

/** Life of a link for machines when nothing else is asked, in seconds. */
const fleetLinkLifeS = 7 * 24 * 3600;
/** Machines that such a link lets in when nothing else is asked. */
const fleetUses = 20;

/** What making links needs. */
export interface LinkDeps {
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  readonly accounts: Pick<AccountStore, "createLink" | "namespaces">;
}

/** Why no link was made. */
export type LinkError = { readonly kind: "invalid" | "not-found" | "forbidden" } | NewLinkError;

/**
 * Makes a one-time link (AU11).
 *
 * A device link admits a device of the same person, so it names no namespace. An invite is made by
 * an admin of a team namespace and gives at most the admin's own role; both are checked once more
 * when it is used. A link for machines gives one namespace, and at most `writer` or its maker's own
 * role (PR8), and it may be for some networks alone (PR14). The first and the last let in as an approval does, so a new device makes none (PR5).
 * A namespace of others looks like one that does not exist.
 */
export async function createLink(
  deps: LinkDeps,
  device: DeviceRow,
  request: LinkRequest & { readonly network?: string | undefined },
): Promise<Result<LinkAnswer, LinkError>> {
  const grant = await grantOf(deps, device, request);
  if (!grant.ok) return grant;
  const lifeS = request.ttlSeconds ?? lifeSOf[request.kind];
  const link = { id: base32(deps.random.bytes(10)), expiresAt: deps.clock.nowMs() + lifeS * 1000 };
  const row = {
    id: link.id,
    kind: request.kind,
    authHash: request.authHash,
    createdBy: device.user,
    createdByDevice: device.id,
    ...grant.value,
    expiresAtMs: link.expiresAt,
  };
  const made = await deps.accounts.createLink(row, request.network);
  return made.ok ? ok(link) : made;
}

const lifeSOf: Readonly<Record<LinkKind, number>> = {
  device: deviceLinkLifeS,
  invite: inviteLifeS,
  ci: fleetLinkLifeS,
};

interface Grant {
  readonly namespace: NamespaceId | undefined;
  readonly role: Role | undefined;
  readonly usesMax?: number;
  readonly confirm?: boolean | undefined;
  readonly madeFor?: string | undefined;
  readonly networks?: readonly string[] | undefined;
}

async function grantOf(
  deps: LinkDeps,
  device: DeviceRow,
  request: LinkRequest,
): Promise<Result<Grant, LinkError>> {
  const { kind, namespace, role = "writer", confirm, madeFor } = request;
  if (!isWellFormed(request)) return fail({ kind: "invalid" });
  if (namespace === undefined) return ok({ namespace: undefined, role: undefined });
  const known = await deps.accounts.namespaces(device.id);
  const target = known.find(({ id }) => id === namespace);
  if (target === undefined) return fail({ kind: "not-found" });
  if (kind === "ci") return fleetGrantOf(target, role, request);
  const mayInvite = target.kind === "team" && isAtLeast(target.role, "admin");
  if (!mayInvite || !isAtLeast(target.role, role)) return fail({ kind: "forbidden" });
  return ok({ namespace, role, confirm, madeFor });
}

/**
/**
 * A device link names nothing, the others a namespace; only machines come in numbers and are bound
 * to networks. No networks at all would be a link that never opens. Only who opens an invite may
 * wait, and whom it is for is said only where somebody looks (NS24).
 */
function isWellFormed(request: LinkRequest): boolean {
  const { kind, namespace, role, uses, networks, confirm, madeFor } = request;
  if (kind !== "ci" && (uses !== undefined || networks !== undefined)) return false;
  if (networks !== undefined && !networks.every((network) => isNetwork(network))) return false;
  if (kind !== "invite" && confirm !== undefined) return false;
  if (confirm !== true && madeFor !== undefined) return false;
  return kind === "device"
    ? namespace === undefined && role === undefined
    : namespace !== undefined;
}

function fleetGrantOf(
  target: NamespaceInfo,
  role: Role,
  { uses: usesMax = fleetUses, networks }: LinkRequest,
): Result<Grant, LinkError> {
  if (!isAtLeast("writer", role)) return fail({ kind: "invalid" });
  if (!isAtLeast(target.role, role)) return fail({ kind: "forbidden" });
  return ok({ namespace: target.id, role, usesMax, networks });
}
