import {
  base32,
  fail,
  isAtLeast,
  isEncryptedId,
  ok,
  type NamespaceId,
  type Result,
  type Role,
} from "@tidemark/protocol";
import type {
  JobProvider,
  JobRule,
  LinkAnswer,
  LinkKind,
  LinkRequest,
  NamespaceInfo,
} from "@tidemark/protocol/wire";
import { isNetwork } from "../networks.ts";
import type { AccountStore, DeviceRow, NewLinkError } from "../store/accounts-port.ts";
import type { StoredJobRule } from "../store/jobs-port.ts";

/** Life of a link to one's own next device when nothing else is asked, in seconds. */
const deviceLinkLifeS = 600;
/** Life of an invite when nothing else is asked, in seconds. */
const inviteLifeS = 72 * 3600;

/** Life of a link for machines when nothing else is asked, in seconds. */
const fleetLinkLifeS = 7 * 24 * 3600;
/** Life of a rule for jobs when nothing else is asked, and at most, in seconds. It has no secret. */
const jobRuleLifeS = 90 * 24 * 3600;
const jobRuleLifeSMax = 365 * 24 * 3600;
/** Longest life of every other link, in seconds. */
const linkLifeSMax = 30 * 24 * 3600;
/** Jobs that a rule lets in: as many as there are while it lives. */
const jobRuleUses = 1_000_000_000;

/** Machines that such a link lets in when nothing else is asked. */
const fleetUses = 20;

/** What making links needs. */
export interface LinkDeps {
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  readonly accounts: Pick<AccountStore, "createLink" | "namespaces">;
  /** CI services whose tokens this server takes. */
  readonly issuers: readonly LinkIssuer[];
}

/** A CI service, and the `iss` of its tokens; the first of a service is the public one. */
interface LinkIssuer {
  readonly provider: JobProvider;
  readonly issuer: string;
}

/** Why no link was made. */
export type LinkError =
  | { readonly kind: "invalid" | "not-found" | "forbidden" | "unknown-issuer" | "encrypted" }
  | NewLinkError;

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
  const presetS = request.job === undefined ? lifeSOf[request.kind] : jobRuleLifeS;
  const lifeS = request.ttlSeconds ?? presetS;
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
  readonly job?: StoredJobRule | undefined;
  readonly ephemeral?: boolean | undefined;
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
  // Machines that let themselves in are in no log that hands keys on (EE12).
  if (kind === "ci" && isEncryptedId(target.id)) return fail({ kind: "encrypted" });
  if (request.job !== undefined) return jobGrantOf(deps, target, { ...request, job: request.job });
  if (kind === "ci") return fleetGrantOf(target, role, request);
  const mayInvite = target.kind === "team" && isAtLeast(target.role, "admin");
  if (!mayInvite || !isAtLeast(target.role, role)) return fail({ kind: "forbidden" });
  return ok({ namespace, role, confirm, madeFor });
}

/**
 * A device link names nothing, the others a namespace; only machines come in numbers and are bound
 * to networks. No networks at all would be a link that never opens. Only who opens an invite may
 * wait, and whom it is for is said only where somebody looks (NS24).
 */
function isWellFormed(request: LinkRequest): boolean {
  const { kind, namespace, role, networks, confirm, madeFor } = request;
  if (!isMachinesPartWellFormed(request)) return false;
  if (networks !== undefined && !networks.every((network) => isNetwork(network))) return false;
  if (kind !== "invite" && confirm !== undefined) return false;
  if (confirm !== true && madeFor !== undefined) return false;
  return kind === "device"
    ? namespace === undefined && role === undefined
    : namespace !== undefined;
}

/** A rule for jobs counts no uses and lives longer than what has a secret. */
function isMachinesPartWellFormed(request: LinkRequest): boolean {
  const { kind, uses, networks, job, ephemeral, ttlSeconds = 0 } = request;
  if (ttlSeconds > (job === undefined ? linkLifeSMax : jobRuleLifeSMax)) return false;
  if (job !== undefined && (uses !== undefined || ephemeral === false)) return false;
  const forMachines = [uses, networks, job, ephemeral];
  return kind === "ci" || forMachines.every((given) => given === undefined);
}

/**
 * A rule for jobs is made by who may let people in (PR15): whoever can push to the repository can
 * come in by it, and those are others than the namespace's members.
 */
function jobGrantOf(
  { issuers }: LinkDeps,
  target: NamespaceInfo,
  request: LinkRequest & { readonly job: JobRule },
): Result<Grant, LinkError> {
  const { role = "writer", networks, job } = request;
  if (!isAtLeast("writer", role)) return fail({ kind: "invalid" });
  if (!isAtLeast(target.role, "admin")) return fail({ kind: "forbidden" });
  const known = issuers.find(
    ({ provider, issuer }) =>
      provider === job.provider && (job.issuer === undefined || issuer === job.issuer),
  );
  if (known === undefined) return fail({ kind: "unknown-issuer" });
  const rule = { ...job, issuer: known.issuer };
  const grant = { namespace: target.id, role, usesMax: jobRuleUses, networks };
  return ok({ ...grant, job: rule, ephemeral: true });
}

function fleetGrantOf(
  target: NamespaceInfo,
  role: Role,
  { uses: usesMax = fleetUses, networks, ephemeral }: LinkRequest,
): Result<Grant, LinkError> {
  if (!isAtLeast("writer", role)) return fail({ kind: "invalid" });
  if (!isAtLeast(target.role, role)) return fail({ kind: "forbidden" });
  return ok({ namespace: target.id, role, usesMax, networks, ephemeral });
}
