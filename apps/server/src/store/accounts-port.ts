import type { AuditEntry } from "./audit-chain.ts";
import type { AuditStore } from "./audit-port.ts";
import type { SigningKeyRow } from "./signing-key-row.ts";
import type { DeviceId, NamespaceId, Result, Role, UserId } from "@tidemark/protocol";
import type {
  DeletedNamespace,
  DeviceInfo,
  DeviceKey,
  DeviceRevoked,
  LinkInfo,
  LinkKind,
  LinkState,
  MemberInfo,
  Named,
  NamespaceInfo,
  SealedBeginning,
  SealingDevice,
  Suspect,
  WaitingMember,
  WaitingPlace,
} from "@tidemark/protocol/wire";
import type { ConsoleStore, IdentityStore } from "./console-port.ts";
import type { JobStore, StoredJobRule } from "./jobs-port.ts";
import type { PairingStore } from "./pairings-port.ts";

/** The server itself. */
export interface ServerRow {
  readonly id: string;
  readonly claimedAtMs: number | undefined;
}

/** A device as authentication needs it. */
export interface DeviceRow {
  readonly id: DeviceId;
  readonly user: UserId;
  readonly name: string;
  readonly status: "active" | "revoked";
  readonly key: DeviceKey;
  /** RFC 7638 thumbprint of the canonical key, base64url; unique. */
  readonly thumbprint: string;
  /** `ci`: a machine that a link for fleets let in; it may use one namespace and nothing else. */
  readonly kind: "person" | "ci";
  /** The only networks that a machine is let in from; from anywhere where there are none (PR14). */
  readonly networks?: readonly string[] | undefined;
}

/** A device that is about to be admitted. */
export interface AdmittedDevice {
  readonly id: DeviceId;
  readonly name: string;
  readonly platform: string;
  readonly key: DeviceKey;
  readonly thumbprint: string;
}

/** A person who is about to be admitted, with the personal namespace that comes with them. */
export interface AdmittedUser {
  readonly id: UserId;
  readonly name: string;
  readonly personal: { readonly id: NamespaceId; readonly name: string; readonly mark: string };
}

/** Who a device is once it was admitted. */
export interface AdmittedPair {
  readonly user: Named<UserId>;
  readonly device: Named<DeviceId>;
}

/** Who a device is, and what the server has of it. */
export interface KnownDevice extends AdmittedPair {
  /** Whether its key for wraps is here (EE13). */
  readonly hasSealingKey: boolean;
}

/** A member's device, with its key for wraps where it has told one. */
export interface MemberDevice extends Omit<SealingDevice, "sealingKey" | "wraps"> {
  readonly sealingKey: string | undefined;
}

/** A one-time link; of its secret only a hash is kept. Times are wall times in milliseconds. */
export interface LinkRow {
  readonly id: string;
  readonly kind: LinkKind;
  readonly authHash: string;
  readonly createdBy: UserId;
  readonly createdByDevice: DeviceId;
  readonly namespace: NamespaceId | undefined;
  readonly role: Role | undefined;
  readonly expiresAtMs: number;
  /** How many devices it may let in; 1 unless given. */
  readonly usesMax?: number | undefined;
  /** Whether who opens this invite waits for an admin's word, and for whom it was made (NS24). */
  readonly confirm?: boolean | undefined;
  readonly madeFor?: string | undefined;
  /** The only networks that it opens from, and its machines are let in from; unless given, any. */
  readonly networks?: readonly string[] | undefined;
  /** The jobs that it takes by their own tokens; no secret opens it then (PR15). */
  readonly job?: StoredJobRule | undefined;
  /** Whether its machines are gone a day after they were last heard of (PR17). */
  readonly ephemeral?: boolean | undefined;
}

/** What becomes of the signing keys, and what the audit is told of it. */
export interface SigningKeyChange {
  readonly rows: readonly SigningKeyRow[];
  readonly entry?: AuditEntry;
  readonly nowMs?: number;
}

/** Why a link or setup secret was not accepted. */
export type AdmissionError =
  | { readonly kind: "invalid-or-expired" }
  | { readonly kind: "already-claimed" }
  | { readonly kind: "key-in-use" }
  | { readonly kind: "user-name-needed" }
  /** The person has as many devices as one may have. */
  | { readonly kind: "too-many-devices" }
  /** The person is in as many namespaces as one may be in (NS28). */
  | { readonly kind: "too-many-namespaces" };

/** Why a device makes no link: it is gone, too new to let others in (PR5), or enough are open. */
export interface NewLinkError {
  readonly kind: "device-revoked" | "approver-too-new" | "too-many-links";
}

/** Why no namespace was made: the device is gone, or its person is in enough of them (NS28). */
export interface NewNamespaceError {
  readonly kind: "device-revoked" | "too-many-namespaces";
}

/** Why a device was not shut out: it is somebody else's or none, or its person's last. */
export interface RevokeError {
  readonly kind: "not-found" | "last-device";
}

/** Why a change of members was refused. */
export type MembershipError =
  | { readonly kind: "not-found" }
  | { readonly kind: "forbidden" }
  | { readonly kind: "last-owner" };

/** Why nobody was let in, or sent away: see `MembershipError`; or they wait for another role. */
export type WaitingError =
  | Exclude<MembershipError, { readonly kind: "last-owner" }>
  | { readonly kind: "conflict" };

/** What a replica's streams have to hear of. */
export interface Watched {
  readonly heads: ReadonlyMap<NamespaceId, number>;
  readonly revoked: readonly DeviceId[];
}

/** Who asks for a change of members; rights are read in the same transaction. */
export interface MembershipActor {
  readonly device: DeviceId;
  readonly namespace: NamespaceId;
  /** The prefix of the network that the request came from, for the audit. */
  readonly network?: string | undefined;
}

/**
 * People, devices, links and keys. Each method is one transaction; each state change is a guarded
 * statement, so that a race has one winner, and is written into the audit in that transaction.
 */
export interface AccountStore
  extends AuditStore, ConsoleStore, IdentityStore, JobStore, PairingStore {
  /** Makes the server row at the very first call. */
  server(makeId: () => string): Promise<ServerRow>;
  /**
   * Adds a setup secret to those that open the server, and puts expired ones away. More than
   * `setupSecretsMax` never live at once: the oldest gives way. Refused once the server is claimed.
   */
  saveSetupSecret(secretHash: string, expiresAtMs: number): Promise<Result<void, AdmissionError>>;
  /**
   * Adds a secret by which `claim` lets one more device of the owner in (AU21), and gives the
   * owner's name; undefined while the server has no owner.
   */
  saveOwnerReset(secret: {
    readonly secretHash: string;
    readonly expiresAtMs: number;
    readonly nowMs: number;
  }): Promise<string | undefined>;
  /**
   * Takes a setup secret, once and for all: makes owner, personal namespace and first device, and
   * all other setup secrets end with it. A secret of `saveOwnerReset` adds a device of the owner
   * instead, once as well.
   */
  claim(input: {
    readonly secretHash: string;
    readonly nowMs: number;
    readonly user: AdmittedUser;
    readonly device: AdmittedDevice;
    readonly network?: string | undefined;
  }): Promise<Result<AdmittedPair, AdmissionError>>;

  createLink(link: LinkRow, network?: string): Promise<Result<void, NewLinkError>>;
  /**
   * What became of a link, for a device of the person who made it; undefined for anybody else
   * (AU14). It tells the new device's key, its name as it was at join, and the mac over both, so
   * that the maker can check the ones by the other.
   */
  linkState(input: {
    readonly asking: DeviceId;
    readonly id: string;
    readonly nowMs: number;
  }): Promise<LinkState | undefined>;
  /**
   * Links of the person whose device asks, and of the machines of namespaces that they administer:
   * those that open, and those of machines still let in.
   */
  links(asking: DeviceId, nowMs: number): Promise<readonly LinkInfo[]>;
  /**
   * Ends a link that `links` would show the person whose device asks and, where wanted, shuts out
   * every device of its maker's that it let in; never one of a person who was invited. Gives those,
   * once no push of theirs is under way any more, also where they were shut out before; undefined
   * where there is no such link.
   */
  revokeLink(input: {
    readonly asking: DeviceId;
    readonly id: string;
    readonly withDevices: boolean;
    /** Called once these are out, before their pushes are waited for. */
    readonly onShutOut?: (devices: readonly DeviceId[]) => void;
    readonly network: string | undefined;
    readonly nowMs: number;
  }): Promise<readonly DeviceId[] | undefined>;
  /**
   * Uses a link once; a wrong secret for it counts. An invite makes the person when `user` is
   * given. From outside of its networks a link is one that there is not, and the audit is told, at
   * most once in `outsideEveryMs` (PR14); `address` is compared and not kept.
   */
  redeemLink(input: {
    readonly id: string;
    readonly authHash: string;
    readonly mac: string;
    readonly nowMs: number;
    readonly device: AdmittedDevice;
    readonly user: AdmittedUser | undefined;
    readonly network?: string | undefined;
    readonly address?: string | undefined;
  }): Promise<Result<AdmittedPair, AdmissionError>>;
  /** Uses an invite up for a person who has an account, who becomes a member or waits (NS24). */
  acceptInvite(input: {
    readonly id: string;
    readonly authHash: string;
    readonly nowMs: number;
    readonly device: DeviceId;
    readonly network?: string | undefined;
  }): Promise<Result<NamespaceId, AdmissionError>>;

  /** With `signedBy`, undefined as well where there is no such signing key any more (AU20). */
  device(id: DeviceId, signedBy?: string): Promise<DeviceRow | undefined>;
  /** Undefined for an unknown or revoked device. */
  identity(id: DeviceId): Promise<KnownDevice | undefined>;
  touchDevice(id: DeviceId, nowMs: number): Promise<void>;
  /**
   * Devices of the person whose device asks: all that may come in, and of those that are out no more
   * than `listedOutMax`, people's own before machines and the newest first.
   */
  devices(asking: DeviceId): Promise<readonly DeviceInfo[]>;
  renameDevice(asking: DeviceId, id: DeviceId, name: string, network?: string): Promise<boolean>;
  /**
   * Shuts out a device of the person whose device asks, and tells what it had done and could read.
   * Answers once no push of that device is under way any more: what it sent is stored before, or
   * never. A person's last device is left alone unless that is forced.
   */
  revokeDevice(input: {
    readonly asking: DeviceId;
    readonly id: DeviceId;
    readonly isForced?: boolean;
    /** Called once the device is out, before its pushes are waited for. */
    readonly onShutOut?: () => void;
    readonly network?: string | undefined;
  }): Promise<Result<DeviceRevoked, RevokeError>>;

  /** Namespaces of the person whose device asks. */
  namespaces(asking: DeviceId): Promise<readonly NamespaceInfo[]>;
  createNamespace(input: {
    readonly asking: DeviceId;
    readonly id: NamespaceId;
    readonly name: string;
    readonly mark: string;
    readonly network?: string | undefined;
    /** What an encrypted one begins with. */
    readonly sealed?: SealedBeginning | undefined;
  }): Promise<Result<NamespaceInfo, NewNamespaceError>>;
  /** Keeps a device's key for wraps; false where the device is gone. */
  saveSealingKey(device: DeviceId, statement: string): Promise<boolean>;
  /** Devices of a namespace's members, shut out ones left out. */
  memberDevices(namespace: NamespaceId): Promise<readonly MemberDevice[]>;
  /**
   * Deletes a team namespace, which owners alone may: at once there is nothing of it for anybody,
   * and owners may restore it for `deletionGraceMs`.
   */
  deleteNamespace(actor: MembershipActor): Promise<Result<DeletedNamespace, MembershipError>>;
  /** Brings a deleted namespace back as it was, members and all, for one who owned it. */
  restoreNamespace(actor: MembershipActor): Promise<Result<NamespaceInfo, MembershipError>>;
  /** Deleted namespaces that the person whose device asks may restore. */
  deletedNamespaces(asking: DeviceId): Promise<readonly DeletedNamespace[]>;
  members(actor: MembershipActor): Promise<Result<readonly MemberInfo[], MembershipError>>;
  setRole(actor: MembershipActor, user: UserId, role: Role): Promise<Result<void, MembershipError>>;
  /** A person may always remove themselves, except the last owner. */
  removeMember(actor: MembershipActor, user: UserId): Promise<Result<void, MembershipError>>;

  /** Namespaces that the person whose device asks waits to be let into. */
  waitingPlaces(asking: DeviceId): Promise<readonly WaitingPlace[]>;
  /** Who waits to be let into a namespace, for its admins and owners. */
  waiting(actor: MembershipActor): Promise<Result<readonly WaitingMember[], MembershipError>>;
  /** Makes who waits a member with the role that was shown, which is at most the actor's own. */
  confirmMember(
    actor: MembershipActor,
    user: UserId,
    role: Role,
  ): Promise<Result<void, WaitingError>>;
  /** Sends who waits away; they stay a person of the server. */
  declineMember(actor: MembershipActor, user: UserId): Promise<Result<void, WaitingError>>;

  /**
   * Namespaces in which the person whose device asks may put a device in quarantine, or change one
   * (`mayQuarantine`): none for a device that does not concern them, as for one that is none.
   */
  quarantinable(input: {
    readonly asking: DeviceId;
    readonly device: DeviceId;
  }): Promise<readonly NamespaceId[]>;
  /**
   * Hides what a device wrote above these places, in the namespaces where the person whose device
   * asks still may; another place takes that of the one of before. Gives where it took effect.
   */
  quarantine(input: {
    readonly asking: DeviceId;
    readonly device: DeviceId;
    /** The time that the places stand for; 0: everything. */
    readonly sinceMs: number;
    readonly places: ReadonlyMap<NamespaceId, number>;
    readonly network?: string | undefined;
  }): Promise<readonly Suspect[]>;
  /** Shows a device's words again wherever the person whose device asks may; gives where. */
  liftQuarantine(input: {
    readonly asking: DeviceId;
    readonly device: DeviceId;
    readonly network?: string | undefined;
  }): Promise<readonly NamespaceId[]>;
  /** Quarantines in the namespaces that the asking device may use. */
  suspects(asking: DeviceId): Promise<readonly Suspect[]>;

  /** The key of the nonces of all replicas (AU17), made at the very first call. */
  nonceKey(make: () => string): Promise<string>;
  signingKeys(): Promise<readonly SigningKeyRow[]>;
  /**
   * Puts other keys in the place of those that there are, and gives them. Nobody else changes any
   * meanwhile: of two that do so at once, the second one sees what the first has left.
   */
  changeSigningKeys(
    change: (rows: readonly SigningKeyRow[]) => SigningKeyChange,
  ): Promise<readonly SigningKeyRow[]>;
  /** Heads of namespaces, and which of these devices were revoked, for pokes across replicas. */
  watched(input: {
    readonly namespaces: readonly NamespaceId[];
    readonly devices: readonly DeviceId[];
  }): Promise<Watched>;
}
