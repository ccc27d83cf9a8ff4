import type { Role } from "./roles.ts";

/** How a device came in: with the server's claim, by a link, an invite, a code or a job's token, or by the host. */
export type JoinedBy = "setup" | "link" | "invite" | "code" | "job" | "owner-reset";

/**
 * What a server writes into its audit, and what each event tells beside who, when and from where
 * (AD2). The list is closed: an event that is not here is not written. Names are as they were at
 * that moment; no secret, no content and no whole address is ever among the facts.
 */
export interface AuditFacts {
  /** The server has got its owner; the target is the person. */
  readonly "server-claimed": { readonly name: string };
  /** The target is the device; `approvedBy` is the name of the device that let it in. */
  readonly "device-joined": {
    readonly name: string;
    readonly platform: string;
    readonly by: JoinedBy;
    readonly approvedBy?: string;
    readonly link?: string;
    /** Repository and ref of the job whose token let it in. */
    readonly job?: string;
  };
  readonly "device-renamed": { readonly name: string; readonly before: string };
  readonly "device-revoked": { readonly name: string };
  /** A machine that was silent for a day is gone, as its link said. */
  readonly "device-expired": { readonly name: string };
  /** What it wrote in the namespace since then is hidden, in wall milliseconds; 0: all of it. */
  readonly "device-quarantined": { readonly name: string; readonly since: number };
  readonly "quarantine-lifted": { readonly name: string };
  /** Somebody had a machine's key, outside of the networks that it is let in from. */
  readonly "device-refused": { readonly name: string };
  /** Somebody let a device in that showed a code; from where they did it is told here. */
  readonly "pairing-approved": { readonly name: string; readonly platform: string };
  /** Somebody said no to a device that showed a code. */
  readonly "pairing-denied": { readonly name: string; readonly platform: string };
  /** Too many wrong codes: the person approves nothing until then, in wall milliseconds. */
  readonly "approvals-locked": { readonly until: number };
  /** The target of this and the next three is the link's id. */
  readonly "link-made": {
    readonly kind: "device" | "invite" | "ci";
    readonly until: number;
    readonly role?: Role;
    readonly uses?: number;
    /** The only networks that it opens from, parted by blanks. */
    readonly networks?: string;
    /** The repository whose jobs it takes. */
    readonly job?: string;
  };
  readonly "link-used": { readonly kind: "device" | "invite" | "ci"; readonly use?: number };
  /** Somebody had its secret outside of its networks, or another repository has its name. */
  readonly "link-refused": { readonly kind: "device" | "invite" | "ci" };
  /** Without `devices` nobody ended it: so many wrong secrets did. */
  readonly "link-revoked": {
    readonly kind: "device" | "invite" | "ci";
    readonly devices?: number;
    readonly guesses?: number;
  };
  /** The target of this and the next six is the person. */
  readonly "invite-accepted": { readonly name: string; readonly role: Role };
  /** Somebody opened an invite and waits for an admin's word; `madeFor` is its maker's. */
  readonly "member-waiting": {
    readonly name: string;
    readonly role: Role;
    readonly madeFor?: string;
  };
  readonly "member-confirmed": { readonly name: string; readonly role: Role };
  readonly "member-declined": { readonly name: string; readonly role: Role };
  readonly "role-changed": { readonly name: string; readonly before: Role; readonly role: Role };
  readonly "member-removed": { readonly name: string; readonly role: Role };
  readonly "member-left": { readonly name: string; readonly role: Role };
  readonly "namespace-created": { readonly name: string };
  /** It can be restored until then, in wall milliseconds. */
  readonly "namespace-deleted": { readonly name: string; readonly until: number };
  readonly "namespace-restored": { readonly name: string };
  /** Its time after the deletion was over: nothing of it is left. */
  readonly "namespace-purged": { readonly name: string };
  /**
   * The target is the id of the key that signs, `before` that of the one which did; without it it
   * is the first. `revoked` is one whose tokens have ended.
   */
  readonly "signing-keys-rotated": { readonly before?: string; readonly revoked?: string };
  /**
   * When it started, the server met another audit than it had written down outside of the database:
   * row `seq` is missing, as after a restore of an older copy, or has another hash (AD8).
   */
  readonly "audit-set-back": { readonly seq: number; readonly row: "missing" | "other" };
  /** The device's key was used in two places (AU16). */
  readonly "key-copied": { readonly name: string };
  /** So many wrong setup secrets within a minute. */
  readonly "setup-refused": { readonly count: number };
  /** The host printed a link that lets a device of an owner in. */
  readonly "owner-reset": { readonly name: string };
  /** A browser was signed in to the console by the device. */
  readonly "console-opened": { readonly name: string };
  /** A person connected their account at the provider of OpenID Connect. */
  readonly "identity-connected": { readonly name: string; readonly issuer: string };
  /** They ended that again. */
  readonly "identity-disconnected": { readonly name: string; readonly issuer: string };
}

/** The name of an event of the audit. */
export type AuditEvent = keyof AuditFacts;

/** Every event, for whoever has to know whether a word is one. */
export const auditEvents: readonly AuditEvent[] = Object.keys({
  "server-claimed": true,
  "device-joined": true,
  "device-renamed": true,
  "device-revoked": true,
  "device-expired": true,
  "device-quarantined": true,
  "quarantine-lifted": true,
  "device-refused": true,
  "pairing-approved": true,
  "pairing-denied": true,
  "approvals-locked": true,
  "link-made": true,
  "link-used": true,
  "link-refused": true,
  "link-revoked": true,
  "invite-accepted": true,
  "member-waiting": true,
  "member-confirmed": true,
  "member-declined": true,
  "role-changed": true,
  "member-removed": true,
  "member-left": true,
  "namespace-created": true,
  "namespace-deleted": true,
  "namespace-restored": true,
  "namespace-purged": true,
  "signing-keys-rotated": true,
  "audit-set-back": true,
  "key-copied": true,
  "setup-refused": true,
  "owner-reset": true,
  "console-opened": true,
  "identity-connected": true,
  "identity-disconnected": true,
} satisfies Record<AuditEvent, true>) as AuditEvent[];

/** What a person's own devices are told, so that nobody joins them in silence (AD5). */
export type NewsEvent =
  | "device-joined"
  | "device-revoked"
  | "device-quarantined"
  | "quarantine-lifted"
  | "key-copied"
  | "approvals-locked"
  | "owner-reset"
  | "identity-connected";

/** See {@link NewsEvent}. */
export const newsEvents: readonly NewsEvent[] = [
  "device-joined",
  "device-revoked",
  "device-quarantined",
  "quarantine-lifted",
  "key-copied",
  "approvals-locked",
  "owner-reset",
  "identity-connected",
];
