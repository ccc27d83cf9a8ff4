/** What a paired device may do to its account: devices, namespaces, members, links. */
import {
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Role,
  type UserId,
} from "@tidemark/protocol";
import {
  deletedNamespaceSchema,
  deletedNamespacesSchema,
  deviceRevokedSchema,
  devicesAnswerSchema,
  helloSchema,
  linkAnswerSchema,
  linkRevokedSchema,
  linksAnswerSchema,
  linkText,
  membersAnswerSchema,
  namespaceInfoSchema,
  waitingAnswerSchema,
  type DeletedNamespace,
  type DeviceInfo,
  type DeviceRevoked,
  type JobRule,
  type LinkInfo,
  type LinkRequest,
  type MemberInfo,
  type NamespaceInfo,
  type WaitingMember,
} from "@tidemark/protocol/wire";
import type { Call, Caller } from "../http/caller.ts";
import type { Random } from "../ports.ts";
import { accessError, type AccessError, type Done } from "./access-error.ts";
import { createLinkSecret, linkAuthHash, linkBinding, type LinkHashes } from "./link-secrets.ts";
import { orTooOld } from "./too-old.ts";

/** What account calls need. */
export interface AccountDeps {
  /** A caller with this device's credentials. */
  readonly caller: Caller;
  readonly hashes: LinkHashes;
  readonly random: Random;
}

/** A one-time link that was just made; it is shown once. */
export interface MadeLink {
  readonly link: string;
  readonly id: string;
  /** Wall time in milliseconds. */
  readonly expiresAtMs: number;
  /** What only who has the link has as well; see `linkBinding`. */
  readonly binding: Uint8Array;
}

/** What a link for machines is to allow. */
export interface FleetOptions {
  readonly namespace: NamespaceId;
  readonly role: Role;
  readonly uses: number;
  readonly ttlSeconds?: number;
  /** What the machines' names begin with. */
  readonly namePrefix?: string;
  /** The only networks that it opens from, and its machines are served from (PR14). */
  readonly networks?: readonly string[];
  /** Whether they are gone a day after they were last heard of (PR17). */
  readonly ephemeral?: boolean;
}

/** Which jobs of a CI service are to come in without a secret (PR15). */
export interface JobRuleOptions extends Omit<FleetOptions, "uses" | "namePrefix" | "ephemeral"> {
  readonly job: JobRule;
}

/** The account of this device's person. Every call ends when its signal aborts. */
export interface Accounts {
  devices(signal: AbortSignal): Done<readonly DeviceInfo[]>;
  renameDevice(device: DeviceId, name: string, signal: AbortSignal): Done<void>;
  /** Shuts a device out; the last one of its person only where that is forced. */
  revokeDevice(
    device: { readonly id: DeviceId; readonly isForced?: boolean },
    signal: AbortSignal,
  ): Done<DeviceRevoked>;
  /** A link by which another device of the same person joins. */
  addDevice(options: { readonly ttlSeconds?: number }, signal: AbortSignal): Done<MadeLink>;
  /** A link by which machines join one namespace (PR8). */
  addMachines(options: FleetOptions, signal: AbortSignal): Done<MadeLink>;
  /** A rule by which jobs of a CI service join one namespace; there is no link to keep. */
  addJobs(options: JobRuleOptions, signal: AbortSignal): Done<Pick<MadeLink, "id" | "expiresAtMs">>;
  /** Links that open, and those whose machines are still let in. */
  links(signal: AbortSignal): Done<readonly LinkInfo[]>;
  /** Ends a link and, where wanted, shuts out what it let in; gives those devices. */
  revokeLink(
    link: { readonly id: string; readonly withDevices: boolean },
    signal: AbortSignal,
  ): Done<readonly DeviceId[]>;
  createNamespace(name: string, signal: AbortSignal): Done<NamespaceInfo>;
  /** Deletes a namespace for all its members; owners can restore it for 30 days. */
  deleteNamespace(namespace: NamespaceId, signal: AbortSignal): Done<DeletedNamespace>;
  /** Brings a deleted namespace back as it was. */
  restoreNamespace(namespace: NamespaceId, signal: AbortSignal): Done<NamespaceInfo>;
  /** Deleted namespaces that this person may restore. */
  deletedNamespaces(signal: AbortSignal): Done<readonly DeletedNamespace[]>;
  /** A link by which a person becomes a member. */
  invite(
    options: {
      readonly namespace: NamespaceId;
      readonly role: Role;
      readonly ttlSeconds?: number;
      /** Whether who opens it waits for an admin's word (NS24); never made where none would. */
      readonly confirm?: boolean;
      /** For whom it is, where who opens it waits. */
      readonly madeFor?: string;
    },
    signal: AbortSignal,
  ): Done<MadeLink>;
  /** Who waits to be let in; nobody on a server that knows no waiting. */
  waiting(namespace: NamespaceId, signal: AbortSignal): Done<readonly WaitingMember[]>;
  /** Lets in who waits, with the role that they wait for. */
  confirmMember(namespace: NamespaceId, who: WaitingMember, signal: AbortSignal): Done<void>;
  /** Sends away who waits. */
  declineMember(namespace: NamespaceId, who: WaitingMember, signal: AbortSignal): Done<void>;
  members(namespace: NamespaceId, signal: AbortSignal): Done<readonly MemberInfo[]>;
  setRole(
    member: { readonly namespace: NamespaceId; readonly user: UserId },
    role: Role,
    signal: AbortSignal,
  ): Done<void>;
  removeMember(
    member: { readonly namespace: NamespaceId; readonly user: UserId },
    signal: AbortSignal,
  ): Done<void>;
}

/** Makes the account calls of a paired device. */
export function createAccounts(deps: AccountDeps): Accounts {
  const { caller } = deps;
  return {
    devices: async (signal) => {
      const call = { method: "GET", path: "/v1/devices" } as const;
      const answer = await caller.json(call, devicesAnswerSchema, signal);
      return answer.ok ? ok(answer.value.devices) : fail(accessError(answer.error));
    },
    renameDevice: (device, name, signal) =>
      change(
        caller,
        { method: "PATCH", path: pathOf("devices", device), ...json({ name }) },
        signal,
      ),
    revokeDevice: async ({ id, isForced = false }, signal) => {
      const query = isForced ? { query: { force: "true" } } : {};
      const call = { method: "DELETE", path: pathOf("devices", id), ...query } as const;
      const answer = await caller.json(call, deviceRevokedSchema, signal);
      return answer.ok ? ok(answer.value) : fail(accessError(answer.error));
    },
    addDevice: (options, signal) => makeLink(deps, { kind: "device", ...options }, signal),
    addMachines: async ({ namePrefix, ...options }, signal) => {
      const known = await knowsParts(caller, options, signal);
      if (!known.ok) return known;
      return await makeLink(deps, { kind: "ci", ...options }, signal, namePrefix);
    },
    addJobs: async (options, signal) => {
      const known = await knowsParts(caller, options, signal);
      if (!known.ok) return known;
      // What a link's secret would be is drawn and forgotten: no secret opens a rule.
      const made = await makeLink(deps, { kind: "ci", ...options }, signal);
      return made.ok ? ok({ id: made.value.id, expiresAtMs: made.value.expiresAtMs }) : made;
    },
    links: async (signal) => {
      const answer = await caller.json(
        { method: "GET", path: "/v1/links" },
        linksAnswerSchema,
        signal,
      );
      return answer.ok ? ok(answer.value.links) : fail(accessError(answer.error));
    },
    revokeLink: async ({ id, withDevices }, signal) => {
      const query = withDevices ? { query: { devices: "revoke" } } : {};
      const call = { method: "DELETE", path: pathOf("links", id), ...query } as const;
      const answer = await caller.json(call, linkRevokedSchema, signal);
      return answer.ok ? ok(answer.value.devices) : fail(accessError(answer.error));
    },
    ...namespaceCalls(caller),
    ...waitingCalls(deps),
    members: async (namespace, signal) => {
      const call = { method: "GET", path: pathOf("namespaces", namespace, "members") } as const;
      const answer = await caller.json(call, membersAnswerSchema, signal);
      return answer.ok ? ok(answer.value.members) : fail(accessError(answer.error));
    },
    setRole: ({ namespace, user }, role, signal) => {
      const path = pathOf("namespaces", namespace, "members", user);
      return change(caller, { method: "PATCH", path, ...json({ role }) }, signal);
    },
    removeMember: ({ namespace, user }, signal) => {
      const path = pathOf("namespaces", namespace, "members", user);
      return change(caller, { method: "DELETE", path }, signal);
    },
  };
}

type WaitingCalls = Pick<Accounts, "invite" | "waiting" | "confirmMember" | "declineMember">;

function waitingCalls(deps: AccountDeps): WaitingCalls {
  const { caller } = deps;
  const pathIn = (namespace: NamespaceId, ...user: readonly UserId[]): string =>
    pathOf("namespaces", namespace, "waiting", ...user);
  return {
    invite: async (options, signal) => {
      // A server that knows no waiting would let in at once whoever opens the link.
      const refusal = options.confirm === true ? await whyNoWaiting(caller, signal) : undefined;
      if (refusal !== undefined) return fail(refusal);
      return await makeLink(deps, { kind: "invite", ...options }, signal);
    },
    waiting: async (namespace, signal) => {
      const call = { method: "GET", path: pathIn(namespace) } as const;
      const answer = await caller.json(call, waitingAnswerSchema, signal);
      if (answer.ok) return ok(answer.value.waiting);
      return answer.error.code === "not-found" ? ok([]) : fail(accessError(answer.error));
    },
    confirmMember: async (namespace, { user, role }, signal) => {
      const path = pathIn(namespace, user.id);
      const done = await change(caller, { method: "POST", path, ...json({ role }) }, signal);
      return done.ok || done.error.code !== "conflict" ? done : fail(otherRole);
    },
    declineMember: (namespace, { user }, signal) =>
      change(caller, { method: "DELETE", path: pathIn(namespace, user.id) }, signal),
  };
}

const otherRole: AccessError = {
  code: "conflict",
  message: "they wait for another role by now",
  hint: "look again: `tidemark namespace members`",
};

async function whyNoWaiting(caller: Caller, signal: AbortSignal): Promise<AccessError | undefined> {
  const call = { method: "GET", path: "/v1/hello", isOpen: true } as const;
  const hello = await caller.json(call, helloSchema, signal);
  if (!hello.ok) return accessError(hello.error);
  if (hello.value.features.includes("waiting-invites")) return undefined;
  return {
    code: "upgrade-server",
    message: "the server is of before invites that wait for a confirmation",
    hint: "update it, or invite without --confirm and --for: who opens such a link is in at once",
  };
}

/**
 * Whether the server knows all that a link for machines is to be. One that does not would leave it
 * out, and make a link that opens from anywhere (PR14), for good, or for whoever has it (PR15).
 */
async function knowsParts(
  caller: Caller,
  { networks, ephemeral, job }: Pick<LinkRequest, "networks" | "ephemeral" | "job">,
  signal: AbortSignal,
): Done<void> {
  const needsJobs = ephemeral !== undefined || job !== undefined;
  if (networks === undefined && !needsJobs) return ok(undefined);
  const answer = await caller.json({ method: "GET", path: "/v1/hello" }, helloSchema, signal);
  if (!answer.ok) return fail(accessError(answer.error));
  const { features } = answer.value;
  if (networks !== undefined && !features.includes("link-networks")) return fail(noNetworks);
  return needsJobs && !features.includes("ci-jobs") ? fail(noJobs) : ok(undefined);
}

const noNetworks: AccessError = {
  code: "upgrade-server",
  message: "the server is too old to bind a link to networks",
  hint: "ask who runs the server to update it, or make the link without --from",
};

const noJobs: AccessError = {
  code: "upgrade-server",
  message: "the server is too old for jobs without a secret and for machines that go by themselves",
  hint: "ask who runs the server to update it, or make a link without --oidc and --ephemeral",
};

type NamespaceCalls = Pick<
  Accounts,
  "createNamespace" | "deleteNamespace" | "restoreNamespace" | "deletedNamespaces"
>;

function namespaceCalls(caller: Caller): NamespaceCalls {
  const deletedNamespaces: Accounts["deletedNamespaces"] = async (signal) => {
    const call = { method: "GET", path: "/v1/namespaces/deleted" } as const;
    const answer = await caller.json(call, deletedNamespacesSchema, signal);
    if (answer.ok) return ok(answer.value.namespaces);
    return fail(orTooOld(accessError(answer.error), "namespaces that can be deleted"));
  };
  return {
    createNamespace: async (name, signal) => {
      const call = { method: "POST", path: "/v1/namespaces", ...json({ name }) } as const;
      const answer = await caller.json(call, namespaceInfoSchema, signal);
      return answer.ok ? ok(answer.value) : fail(accessError(answer.error));
    },
    deleteNamespace: async (namespace, signal) => {
      const call = { method: "DELETE", path: pathOf("namespaces", namespace) } as const;
      const answer = await caller.json(call, deletedNamespaceSchema, signal);
      if (answer.ok) return ok(answer.value);
      if (answer.error.code !== "not-found") return fail(accessError(answer.error));
      // Either the namespace is absent, or the server deletes none.
      const listed = await deletedNamespaces(signal);
      const isOld = !listed.ok && listed.error.code === "upgrade-server";
      return fail(isOld ? listed.error : accessError(answer.error));
    },
    restoreNamespace: async (namespace, signal) => {
      const call = { method: "POST", path: pathOf("namespaces", namespace, "restore") } as const;
      const answer = await caller.json(call, namespaceInfoSchema, signal);
      return answer.ok ? ok(answer.value) : fail(accessError(answer.error));
    },
    deletedNamespaces,
  };
}

/** The secret is made here and stays in the link: the server is told only what opens it (AU54). */
async function makeLink(
  { caller, hashes, random }: AccountDeps,
  request: Omit<LinkRequest, "authHash">,
  signal: AbortSignal,
  namePrefix?: string,
): Done<MadeLink> {
  const secret = createLinkSecret(random);
  const authHash = linkAuthHash(hashes, secret);
  const call = { method: "POST", path: "/v1/links", ...json({ ...request, authHash }) } as const;
  const answer = await caller.json(call, linkAnswerSchema, signal);
  if (!answer.ok) return fail(accessError(answer.error));
  const { id, expiresAt } = answer.value;
  // To whoever opens it, a link for machines is one for a device; what it allows is the server's.
  const kind = request.kind === "invite" ? "invite" : "device";
  const link = linkText({ kind, url: caller.serverUrl, id, secret, namePrefix });
  return ok({ link, id, expiresAtMs: expiresAt, binding: linkBinding(hashes, secret) });
}

async function change(caller: Caller, call: Omit<Call, "accept">, signal: AbortSignal): Done<void> {
  const answer = await caller.text({ ...call, accept: "application/json" }, signal);
  return answer.ok ? ok(undefined) : fail(accessError(answer.error));
}

function json(value: object): Pick<Call, "body"> {
  return { body: { type: "application/json", content: JSON.stringify(value) } };
}

function pathOf(...parts: readonly string[]): string {
  return `/v1/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}
