/** Opens one-time links: how a device comes to be known to a server. */
import {
  fail,
  ok,
  protocolVersion,
  protocolVersionOldest,
  type NamespaceId,
  type Result,
} from "@tidemark/protocol";
import {
  admissionSchema,
  helloSchema,
  namespaceIdSchema,
  parseLink,
  type Admission,
  type DeviceKey,
  type Hello,
  type JoinRequest,
  type Link,
  type NewDevice,
  type SetupRequest,
} from "@tidemark/protocol/wire";
import { z } from "zod";
import type { Caller } from "../http/caller.ts";
import type { Answer, Failure } from "../transport.ts";
import { accessError, type AccessError } from "./access-error.ts";
import { linkAuth, linkBinding, linkMac, type LinkHashes } from "./link-secrets.ts";
import { checkServerAddress } from "./server-address.ts";

/** What opening a link needs. */
export interface PairingDeps {
  /** Makes a caller without credentials for an address. */
  readonly callerFor: (serverUrl: string) => Caller;
  readonly hashes: LinkHashes;
}

/** Who wants to be paired. */
export interface Newcomer {
  readonly deviceName: string;
  /** Operating system and architecture, for show. */
  readonly platform: string;
  readonly userName: string;
  readonly publicJwk: DeviceKey;
  readonly thumbprint: string;
}

/** A paired device: who it is, and the address that worked. */
export interface Paired {
  readonly admission: Admission;
  readonly serverUrl: string;
}

/** Reads a link and checks where it leads, before anything is sent (AU55, AU56). */
export function readLink(
  text: string,
  options: { readonly allowPlainLan: boolean },
): Result<Link, AccessError> {
  const link = parseLink(text);
  if (link === undefined) {
    return fail({
      code: "bad-link",
      message: "this is no pairing link",
      hint: "copy the whole link, with the part after #, and put it in quotes",
    });
  }
  const url = checkServerAddress(link.url, options);
  return url.ok ? ok({ ...link, url: url.value }) : url;
}

/** Opens a link for a device that is not paired yet (AU54). */
export async function openLink(
  deps: PairingDeps,
  link: Link,
  newcomer: Newcomer,
  signal: AbortSignal,
): Promise<Result<Paired, AccessError>> {
  const caller = deps.callerFor(link.url);
  const hello = await greet(caller, signal);
  if (!hello.ok) return hello;
  const serverId = hello.value.server.id;
  const answer =
    link.kind === "setup"
      ? await setUp(caller, link.secret, newcomer, signal)
      : await join({ caller, hashes: deps.hashes, serverId }, link, newcomer, signal);
  if (!answer.ok) return fail(accessError(answer.error));
  if (answer.value.server.id !== serverId) return fail(wrongServer);
  return ok({ admission: answer.value, serverUrl: link.url });
}

/** Takes an invite with a device that is paired with its server already. */
export async function acceptInvite(
  deps: {
    readonly caller: Caller;
    readonly hashes: LinkHashes;
    readonly serverId: string;
  },
  link: Link,
  signal: AbortSignal,
): Promise<Result<NamespaceId, AccessError>> {
  const { caller, hashes, serverId } = deps;
  if (link.kind !== "invite") {
    return fail({
      code: "already-paired",
      message: "this device is paired already",
      hint:
        "it keeps to its server; for another one: `tidemark export --output memory.ndjson`, set " +
        "TIDEMARK_HOME to an empty folder, pair there, `tidemark import memory.ndjson`",
    });
  }
  const hello = await greet(caller, signal);
  if (!hello.ok) return hello;
  if (hello.value.server.id !== serverId) return fail(wrongServer);
  const request = { id: link.id, auth: linkAuth(hashes, link.secret) };
  const body = { type: "application/json", content: JSON.stringify(request) };
  const call = { method: "POST", path: "/v1/invites/accept", body } as const;
  const answer = await caller.json(call, acceptedSchema, signal);
  return answer.ok ? ok(answer.value.namespace) : fail(accessError(answer.error));
}

/** Whether a link leads to the server that a device knows, by the server's own word. */
export async function greet(
  caller: Caller,
  signal: AbortSignal,
): Promise<Result<Hello, AccessError>> {
  const call = { method: "GET", path: "/v1/hello", isOpen: true } as const;
  const hello = await caller.json(call, helloSchema, signal);
  if (!hello.ok) return fail(accessError(hello.error));
  const { version, oldest } = hello.value.protocol;
  if (version < protocolVersionOldest) return fail(accessError(old("upgrade-server")));
  if (oldest > protocolVersion) return fail(accessError(old("upgrade-client")));
  return hello;
}

const acceptedSchema = z.object({ namespace: namespaceIdSchema });

/** Two answers from one address that are of two servers. */
export const wrongServer: AccessError = {
  code: "wrong-server",
  message: "the link belongs to another server than the one that answers",
  hint: "check the address of the link; this device stays with its own server",
};

function old(code: "upgrade-server" | "upgrade-client"): Failure {
  return { family: "upgrade", code, title: "The versions do not fit." };
}

function setUp(
  caller: Caller,
  secret: string,
  newcomer: Newcomer,
  signal: AbortSignal,
): Promise<Answer<Admission>> {
  const request: SetupRequest = {
    secret,
    user: { name: newcomer.userName },
    device: newDevice(newcomer),
  };
  const body = { type: "application/json", content: JSON.stringify(request) };
  return caller.json({ method: "POST", path: "/v1/setup", body }, admissionSchema, signal);
}

function join(
  at: { readonly caller: Caller; readonly hashes: LinkHashes; readonly serverId: string },
  link: Exclude<Link, { kind: "setup" }>,
  newcomer: Newcomer,
  signal: AbortSignal,
): Promise<Answer<Admission>> {
  const { caller, hashes, serverId } = at;
  const { thumbprint, deviceName: name, userName } = newcomer;
  const request: JoinRequest = {
    id: link.id,
    auth: linkAuth(hashes, link.secret),
    mac: linkMac(hashes, linkBinding(hashes, link.secret), { thumbprint, name, serverId }),
    device: newDevice(newcomer),
    ...(link.kind === "invite" ? { user: { name: userName } } : {}),
  };
  const body = { type: "application/json", content: JSON.stringify(request) };
  return caller.json({ method: "POST", path: "/v1/join", body }, admissionSchema, signal);
}

/** What a newcomer says of itself. */
export function newDevice({ deviceName, platform, publicJwk }: Newcomer): NewDevice {
  const { kty, crv, x } = publicJwk;
  return { name: deviceName, platform, key: { kty, crv, x } };
}
