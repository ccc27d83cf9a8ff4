import { z } from "zod";
import type { DeviceId, NamespaceId, UserId } from "../ids.ts";
import { limits } from "../limits.ts";
import type { Role } from "../roles.ts";
import { newsItemSchema, type NewsItem } from "./audit.ts";
import { deviceIdSchema, namespaceIdSchema, userIdSchema } from "./ids.ts";
import { sealedBeginningSchema, type SealedBeginning } from "./key-wrap.ts";
import { jobRuleSchema, type JobRule } from "./job-rule.ts";
import { suspectSchema, type Suspect } from "./quarantine.ts";
import { countSchema, nameSchema, roleSchema } from "./scalars.ts";
import { waitingPlaceSchema, type WaitingPlace } from "./waiting.ts";

/** A device's public key: an Ed25519 JWK and nothing more. */
export interface DeviceKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
}

/** See {@link DeviceKey}. */
export const deviceKeySchema: z.ZodType<DeviceKey> = z.strictObject({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().regex(/^[0-9A-Za-z_-]{43}$/),
});

/** What a new device says of itself when it opens a link. */
export interface NewDevice {
  readonly name: string;
  /** Operating system and architecture, for show. */
  readonly platform: string;
  readonly key: DeviceKey;
}

/** See {@link NewDevice}. */
export const newDeviceSchema: z.ZodType<NewDevice> = z.object({
  name: nameSchema,
  platform: nameSchema,
  key: deviceKeySchema,
});

/** `POST /v1/setup`: opens the setup link; makes the owner and pairs the first device. */
export interface SetupRequest {
  readonly secret: string;
  readonly user: { readonly name: string };
  readonly device: NewDevice;
}

/** See {@link SetupRequest}. */
export const setupRequestSchema: z.ZodType<SetupRequest> = z.object({
  secret: z.string().min(20).max(128),
  user: z.object({ name: nameSchema }),
  device: newDeviceSchema,
});

/**
 * `POST /v1/join`: opens a link of `device add` or `namespace invite`. `auth` is derived from the
 * link's secret, which itself never leaves the two devices; `mac` authenticates the new device's
 * key with it, so that even the server cannot put another key in its place.
 */
export interface JoinRequest {
  readonly id: string;
  readonly auth: string;
  readonly mac: string;
  readonly device: NewDevice;
  /** The name of a person who is new to the server; an invite may need it. */
  readonly user?: { readonly name: string } | undefined;
}

// Printable ASCII: PostgreSQL takes no NUL, and nobody has to be let in to send one.
const linkIdSchema = z.string().regex(/^[ -~]{8,64}$/);
const linkTextSchema = z.string().regex(/^[ -~]{20,128}$/);

/** See {@link JoinRequest}. */
export const joinRequestSchema: z.ZodType<JoinRequest> = z.object({
  id: linkIdSchema,
  auth: linkTextSchema,
  mac: linkTextSchema,
  device: newDeviceSchema,
  user: z.object({ name: nameSchema }).optional(),
});

/** A person, as a server names them. */
export interface Named<Id> {
  readonly id: Id;
  readonly name: string;
}

const userSchema: z.ZodType<Named<UserId>> = z.object({ id: userIdSchema, name: z.string() });
const deviceSchema: z.ZodType<Named<DeviceId>> = z.object({
  id: deviceIdSchema,
  name: z.string(),
});

/** Answer to setup and join: who this device now is, and where. */
export interface Admission {
  readonly server: { readonly id: string };
  readonly user: Named<UserId>;
  readonly device: Named<DeviceId>;
}

/** See {@link Admission}. */
export const admissionSchema: z.ZodType<Admission> = z.object({
  server: z.object({ id: z.string() }),
  user: userSchema,
  device: deviceSchema,
});

/**
 * `POST /v1/links`: makes a one-time link. The client makes the secret and tells the server only
 * SHA-256 of the derived `auth`, base64url. `kind: "device"` admits a device of the same person;
 * `kind: "invite"` admits a person to a namespace; `kind: "ci"` admits as many machines as `uses`
 * says, to one namespace with at most one role (PR8).
 */
export interface LinkRequest {
  readonly kind: LinkKind;
  readonly authHash: string;
  readonly namespace?: NamespaceId | undefined;
  readonly role?: Role | undefined;
  readonly ttlSeconds?: number | undefined;
  /** For `ci` alone: how many machines it lets in; 1 unless given. */
  readonly uses?: number | undefined;
  /**
   * For `invite` alone: whether who opens it waits for an admin's word (NS24). A server without the
   * feature `waiting-invites` would not know of it.
   */
  readonly confirm?: boolean | undefined;
  /** For `invite` with `confirm`: for whom it is; a person's id lets that person in at once. */
  readonly madeFor?: string | undefined;
  /**
   * For `ci` alone: addresses or networks in CIDR form. It opens from there alone, and the machines
   * that it lets in are served there alone (PR14). Only a server with the feature `link-networks`
   * knows it; any other would take the link for one that opens from anywhere.
   */
  readonly networks?: readonly string[] | undefined;
  /**
   * For `ci` alone: it takes such jobs by their own tokens, and has no secret (PR15). Only a server
   * with the feature `ci-jobs` knows this and the next.
   */
  readonly job?: JobRule | undefined;
  /** For `ci` alone: its machines are gone a day after they were last heard of (PR17). */
  readonly ephemeral?: boolean | undefined;
}

/** An address, or a network in CIDR form, of IPv4 or IPv6. */
export const networkSchema: z.ZodType<string> = z.union([
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
]);

/** Networks that one link may name. */
export const linkNetworksMax = 16;

/** What a one-time link is for. */
export type LinkKind = "device" | "invite" | "ci";

/** See {@link LinkRequest}. */
export const linkRequestSchema: z.ZodType<LinkRequest> = z.object({
  kind: z.enum(["device", "invite", "ci"]),
  authHash: z.string().regex(/^[0-9A-Za-z_-]{43}$/),
  namespace: namespaceIdSchema.optional(),
  role: roleSchema.optional(),
  ttlSeconds: z.int().min(60).max(31_536_000).optional(),
  uses: z.int().min(1).max(100).optional(),
  confirm: z.boolean().optional(),
  madeFor: nameSchema.optional(),
  networks: z.array(networkSchema).min(1).max(linkNetworksMax).optional(),
  job: jobRuleSchema.optional(),
  ephemeral: z.boolean().optional(),
});

/** Answer to `POST /v1/links`. `expiresAt` is wall time in milliseconds. */
export interface LinkAnswer {
  readonly id: string;
  readonly expiresAt: number;
}

/** See {@link LinkAnswer}. */
export const linkAnswerSchema: z.ZodType<LinkAnswer> = z.object({
  id: z.string(),
  expiresAt: countSchema,
});

/** A device that came in by a link, as the link's maker may check it. */
export interface LinkedDevice extends Named<DeviceId> {
  /** Its name as it was at join, which the mac covers; `name` may have changed since. */
  readonly joinedName: string;
  /** RFC 7638 thumbprint of its key, base64url. */
  readonly thumbprint: string;
}

/**
 * Answer to `GET /v1/links/{id}`, for the person who made the link. `expired` also says that a link
 * died before its time, with its maker's device or rights.
 *
 * `device` and `mac` are there once a new device has used the link (an invite accepted by a device
 * that was paired already has neither). The maker, who knows the link's secret, computes the mac
 * over `thumbprint` and `joinedName`; where it differs, somebody between has put another key in
 * place.
 */
export interface LinkState {
  readonly status: "open" | "used" | "expired";
  readonly device?: LinkedDevice | undefined;
  readonly mac?: string | undefined;
}

/** See {@link LinkState}. */
export const linkStateSchema: z.ZodType<LinkState> = z.object({
  status: z.enum(["open", "used", "expired"]),
  device: z
    .object({
      id: deviceIdSchema,
      name: z.string(),
      joinedName: z.string(),
      thumbprint: z.string().regex(/^[0-9A-Za-z_-]{43}$/),
    })
    .optional(),
  mac: z.string().max(128).optional(),
});

/**
 * A link of the asking person, or one for machines of a namespace that they administer: one that is
 * open, or whose machines are still let in.
 */
export interface LinkInfo {
  readonly id: string;
  readonly kind: LinkKind;
  readonly namespace?: NamespaceId | undefined;
  readonly role?: Role | undefined;
  /** `closed` where it lets nobody in any more. */
  readonly status: "open" | "closed";
  /** The only networks that it opens from. */
  readonly networks?: readonly string[] | undefined;
  readonly uses: number;
  readonly usesMax: number;
  /** Wall time in milliseconds. */
  readonly expiresAt: number;
  /** Devices that came in by it and were not revoked. */
  readonly devices: number;
  /** Whose it is, where it is somebody else's. */
  readonly maker?: Named<UserId> | undefined;
  /** The jobs that it takes, where it has no secret; with the repository's number once it is known. */
  readonly job?: JobRule | undefined;
  /** Whether its machines are gone a day after they were last heard of. */
  readonly ephemeral?: boolean | undefined;
}

/** Answer to `GET /v1/links`. */
export const linksAnswerSchema: z.ZodType<{ readonly links: readonly LinkInfo[] }> = z.object({
  links: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(["device", "invite", "ci"]),
      namespace: namespaceIdSchema.optional(),
      role: roleSchema.optional(),
      status: z.enum(["open", "closed"]),
      networks: z.array(z.string().max(64)).optional(),
      uses: countSchema,
      usesMax: countSchema,
      expiresAt: countSchema,
      devices: countSchema,
      maker: z.object({ id: userIdSchema, name: z.string() }).optional(),
      // A service that a later version knows hides no link.
      job: jobRuleSchema.optional().catch(undefined),
      ephemeral: z.boolean().optional(),
    }),
  ),
});

/** Answer to `DELETE /v1/links/{id}`: the devices that were revoked with it, where asked for. */
export const linkRevokedSchema: z.ZodType<{ readonly devices: readonly DeviceId[] }> = z.object({
  devices: z.array(deviceIdSchema),
});

/** Answer to `POST /v1/invites/accept`, for a device that is paired already. */
export const acceptRequestSchema: z.ZodType<{ readonly id: string; readonly auth: string }> =
  z.object({ id: linkIdSchema, auth: linkTextSchema });

/** Answer to `POST /v1/auth/token`. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: "DPoP";
  /** Seconds. */
  readonly expires_in: number;
}

/** See {@link TokenAnswer}. */
export const tokenAnswerSchema: z.ZodType<TokenAnswer> = z.object({
  access_token: z.string().max(4096),
  token_type: z.literal("DPoP"),
  expires_in: z.int().min(1),
});

/** A namespace, as `hello` lists it to a member. */
export interface NamespaceInfo {
  readonly id: NamespaceId;
  readonly name: string;
  readonly kind: "personal" | "team";
  readonly role: Role;
  readonly head: number;
}

const laterWordSchema = z.string().min(1).max(64);

/**
 * See {@link NamespaceInfo}. A role or kind of a later version stops no sync (WR39): the server
 * judges every op anyway, so the device goes on as a writer and is told what is refused.
 */
export const namespaceInfoSchema: z.ZodType<NamespaceInfo> = z.object({
  id: namespaceIdSchema,
  name: z.string(),
  kind: z.union([
    z.enum(["personal", "team"]),
    laterWordSchema.transform((): NamespaceInfo["kind"] => "team"),
  ]),
  role: z.union([roleSchema, laterWordSchema.transform((): Role => "writer")]),
  head: countSchema,
});

/**
 * Answer to `GET /v1/hello`. Without a token it tells version, features and the server alone, so
 * that a client can say "wrong server" or "too old" before it has any right.
 */
export interface Hello {
  readonly protocol: { readonly version: number; readonly oldest: number };
  readonly features: readonly string[];
  /** `time` is the server's wall time in milliseconds. */
  readonly server: { readonly id: string; readonly time: number; readonly version: string };
  readonly limits: Readonly<Record<string, number>>;
  readonly user?: Named<UserId> | undefined;
  readonly device?: Named<DeviceId> | undefined;
  readonly namespaces?: readonly NamespaceInfo[] | undefined;
  /** What happened to the person's devices of late, newest first (AD5). */
  readonly news?: readonly NewsItem[] | undefined;
  /** Namespaces whose admins have to say yes first; there is nothing of them for the device yet. */
  readonly waiting?: readonly WaitingPlace[] | undefined;
  /** All quarantines of these namespaces (QU1); absent where the server knows none of them. */
  readonly suspects?: readonly Suspect[] | undefined;
  /** Whether the server has the device's key for wraps (EE13); absent where it does not say. */
  readonly sealingKey?: boolean | undefined;
}

/** See {@link Hello}. */
export const helloSchema: z.ZodType<Hello> = z.object({
  protocol: z.object({ version: countSchema, oldest: countSchema }),
  features: z.array(z.string()),
  server: z.object({ id: z.string(), time: countSchema, version: z.string() }),
  limits: z.record(z.string(), z.number()),
  user: userSchema.optional(),
  device: deviceSchema.optional(),
  namespaces: z.array(namespaceInfoSchema).max(limits.namespacesMax).optional(),
  // News that a later version tells in another way stop no sync.
  news: z.array(newsItemSchema).optional().catch(undefined),
  waiting: z.array(waitingPlaceSchema).optional().catch(undefined),
  // What cannot be read changes nothing: quarantines stay as they were.
  suspects: z.array(suspectSchema).optional().catch(undefined),
  sealingKey: z.boolean().optional().catch(undefined),
});

/** `POST /v1/namespaces`; answered with a {@link NamespaceInfo}. */
export interface NamespaceRequest {
  readonly name: string;
  /** Where it is encrypted; its name is a label then that says nothing. */
  readonly sealed?: SealedBeginning | undefined;
}

/** See {@link NamespaceRequest}. */
export const namespaceRequestSchema: z.ZodType<NamespaceRequest> = z.object({
  name: nameSchema,
  sealed: sealedBeginningSchema.optional(),
});

/** Answer to `DELETE /v1/namespaces/{ns}`: a namespace that its owners may still restore. */
export interface DeletedNamespace extends Named<NamespaceId> {
  /** Wall times in milliseconds: when it was deleted, and when it is gone for good. */
  readonly deletedAt: number;
  readonly purgeAt: number;
}

/** See {@link DeletedNamespace}. */
export const deletedNamespaceSchema: z.ZodType<DeletedNamespace> = z.object({
  id: namespaceIdSchema,
  name: z.string(),
  deletedAt: countSchema,
  purgeAt: countSchema,
});

/** Answer to `GET /v1/namespaces/deleted`: those that the asking person owned. */
export const deletedNamespacesSchema: z.ZodType<{
  readonly namespaces: readonly DeletedNamespace[];
}> = z.object({ namespaces: z.array(deletedNamespaceSchema) });

/** A member of a namespace. */
export interface MemberInfo {
  readonly user: Named<UserId>;
  readonly role: Role;
}

/** Answer to `GET /v1/namespaces/{ns}/members`. */
export const membersAnswerSchema: z.ZodType<{ readonly members: readonly MemberInfo[] }> = z.object(
  { members: z.array(z.object({ user: userSchema, role: roleSchema })) },
);

/** `PATCH /v1/namespaces/{ns}/members/{user}`. */
export const roleRequestSchema: z.ZodType<{ readonly role: Role }> = z.object({ role: roleSchema });

/** A device of the asking person. Times are wall times in milliseconds. */
export interface DeviceInfo {
  readonly id: DeviceId;
  readonly name: string;
  readonly platform: string;
  readonly status: "active" | "revoked";
  readonly pairedAt: number;
  readonly lastSeenAt: number | null;
  /** `ci`: a machine for one namespace, let in by a link for fleets (PR8). */
  readonly kind?: "person" | "ci" | undefined;
  /** The link that it came in by. */
  readonly link?: string | undefined;
  /** The one namespace of a `ci` device, and the most that it may do there. */
  readonly namespace?: NamespaceId | undefined;
  readonly roleMax?: Role | undefined;
  /** Whether it is gone a day after it was last heard of. */
  readonly ephemeral?: boolean | undefined;
}

/** Answer to `GET /v1/devices`. */
export const devicesAnswerSchema: z.ZodType<{ readonly devices: readonly DeviceInfo[] }> = z.object(
  {
    devices: z.array(
      z.object({
        id: deviceIdSchema,
        name: z.string(),
        platform: z.string(),
        status: z.enum(["active", "revoked"]),
        pairedAt: countSchema,
        lastSeenAt: countSchema.nullable(),
        kind: z.enum(["person", "ci"]).optional(),
        link: z.string().optional(),
        namespace: namespaceIdSchema.optional(),
        roleMax: roleSchema.optional(),
        ephemeral: z.boolean().optional(),
      }),
    ),
  },
);

/**
 * Answer to `DELETE /v1/devices/{device}`: what is worth a look once it is out. A server of before
 * tells nothing.
 */
export interface DeviceRevoked {
  /** Links that it had made, which opened until now. */
  readonly links: readonly { readonly id: string; readonly kind: LinkKind }[];
  /** Devices that it had let in and that still are, also those of people whom it invited. */
  readonly devices: readonly (Named<DeviceId> & { readonly user: Named<UserId> })[];
  /** Namespaces whose content it could read. */
  readonly namespaces: readonly Named<NamespaceId>[];
  /** Accounts at a provider that it had connected, by which browsers still come in; none: left out. */
  readonly accounts?:
    | readonly { readonly issuer: string; readonly connectedAt: number }[]
    | undefined;
}

/** See {@link DeviceRevoked}. */
export const deviceRevokedSchema: z.ZodType<DeviceRevoked> = z.object({
  links: z
    .array(z.object({ id: z.string(), kind: z.enum(["device", "invite", "ci"]) }))
    .default([]),
  devices: z
    .array(z.object({ id: deviceIdSchema, name: z.string(), user: userSchema }))
    .default([]),
  namespaces: z.array(z.object({ id: namespaceIdSchema, name: z.string() })).default([]),
  accounts: z.array(z.object({ issuer: z.string(), connectedAt: z.number() })).optional(),
});

/** `PATCH /v1/devices/{device}`. */
export const deviceRenameSchema: z.ZodType<{ readonly name: string }> = z.object({
  name: nameSchema,
});
