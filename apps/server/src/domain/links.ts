import {
  base32,
  fail,
  isAtLeast,
  ok,
  type NamespaceId,
  type Result,
  type Role,
} from "@tidemark/protocol";
import type { LinkAnswer, LinkRequest } from "@tidemark/protocol/wire";
import type { AccountStore, DeviceRow } from "../store/accounts-port.ts";

/** Life of a link to one's own next device when nothing else is asked, in seconds. */
const deviceLinkLifeS = 600;
/** Life of an invite when nothing else is asked, in seconds. */
const inviteLifeS = 72 * 3600;

/** What making links needs. */
export interface LinkDeps {
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  readonly accounts: Pick<AccountStore, "createLink" | "namespaces">;
}

/** Why no link was made. */
export type LinkError = { readonly kind: "invalid" | "not-found" | "forbidden" };

/**
 * Makes a one-time link (AU11).
 *
 * A device link admits a device of the same person, so it names no namespace. An invite is made by
 * an admin of a team namespace and gives at most the admin's own role; both are checked once more
 * when it is used. A namespace of others looks like one that does not exist.
 */
export async function createLink(
  deps: LinkDeps,
  device: DeviceRow,
  request: LinkRequest,
): Promise<Result<LinkAnswer, LinkError>> {
  const grant = await grantOf(deps, device, request);
  if (!grant.ok) return grant;
  const lifeS = request.ttlSeconds ?? (request.kind === "device" ? deviceLinkLifeS : inviteLifeS);
  const link = { id: base32(deps.random.bytes(10)), expiresAt: deps.clock.nowMs() + lifeS * 1000 };
  await deps.accounts.createLink({
    id: link.id,
    kind: request.kind,
    authHash: request.authHash,
    createdBy: device.user,
    createdByDevice: device.id,
    ...grant.value,
    expiresAtMs: link.expiresAt,
  });
  return ok(link);
}

interface Grant {
  readonly namespace: NamespaceId | undefined;
  readonly role: Role | undefined;
}

async function grantOf(
  deps: LinkDeps,
  device: DeviceRow,
  request: LinkRequest,
): Promise<Result<Grant, LinkError>> {
  const { kind, namespace } = request;
  if (kind === "device") {
    if (namespace !== undefined || request.role !== undefined) return fail({ kind: "invalid" });
    return ok({ namespace: undefined, role: undefined });
  }
  if (namespace === undefined) return fail({ kind: "invalid" });
  const role = request.role ?? "writer";
  const known = await deps.accounts.namespaces(device.id);
  const target = known.find(({ id }) => id === namespace);
  if (target === undefined) return fail({ kind: "not-found" });
  const mayInvite = target.kind === "team" && isAtLeast(target.role, "admin");
  if (!mayInvite || !isAtLeast(target.role, role)) return fail({ kind: "forbidden" });
  return ok({ namespace, role });
}
