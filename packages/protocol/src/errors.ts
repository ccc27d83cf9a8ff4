/** What a client does about a failed request (WR3); it never has to know status codes. */
export type ErrorFamily = "retry" | "auth" | "reject" | "heal" | "upgrade" | "bug";

/** A stable error code of the wire. */
export type ErrorCode =
  | "unavailable"
  | "rate-limited"
  | "setup-required"
  | "invalid-token"
  | "use-dpop-nonce"
  | "body-changed"
  | "query-changed"
  | "device-revoked"
  | "key-copied"
  | "invalid-or-expired"
  | "not-found"
  | "forbidden"
  | "already-claimed"
  | "conflict"
  | "last-owner"
  | "last-device"
  | "device-limited"
  | "pair-not-pending"
  | "approver-too-new"
  | "approvals-locked"
  | "pairing-paused"
  | "pairing-off"
  | "slow-down"
  | "invalid"
  | "too-large"
  | "unsupported-media-type"
  | "writer-position"
  | "writer-foreign"
  | "history"
  | "lamport-too-far"
  | "stale-epoch"
  | "upgrade-client"
  | "upgrade-server"
  | "internal";

/** What an error code stands for. */
export interface ErrorKind {
  readonly status: number;
  readonly family: ErrorFamily;
  readonly title: string;
}

/**
 * Every code of a problem document (RFC 9457), with its HTTP status, its family and the one
 * sentence that a stranger may read. Nothing else of an error leaves the server.
 */
export const errorKinds: Readonly<Record<ErrorCode, ErrorKind>> = {
  unavailable: { status: 503, family: "retry", title: "The server cannot do this right now." },
  "rate-limited": { status: 429, family: "retry", title: "Too many requests." },
  "setup-required": {
    status: 503,
    family: "auth",
    title: "This server has no owner yet. Open its setup link with `tidemark pair`.",
  },
  "invalid-token": { status: 401, family: "auth", title: "The access token is not valid." },
  "use-dpop-nonce": { status: 401, family: "auth", title: "The proof needs a fresh nonce." },
  "body-changed": {
    status: 401,
    family: "auth",
    title: "The body is not the one that was signed; something on the way changes requests.",
  },
  "query-changed": {
    status: 401,
    family: "auth",
    title: "The query is not the one that was signed; something on the way changes requests.",
  },
  "device-revoked": { status: 401, family: "auth", title: "This device was revoked." },
  "key-copied": {
    status: 401,
    family: "auth",
    title:
      "This device's key was used in another place, or its folder was put back. Update tidemark and sync again.",
  },
  "invalid-or-expired": {
    status: 404,
    family: "reject",
    title: "The link is unknown, used up or expired.",
  },
  "not-found": { status: 404, family: "reject", title: "There is no such thing here." },
  forbidden: { status: 403, family: "reject", title: "Your role does not allow this." },
  "already-claimed": { status: 409, family: "reject", title: "This server already has an owner." },
  conflict: { status: 409, family: "reject", title: "Somebody else changed this first." },
  "last-owner": {
    status: 409,
    family: "reject",
    title: "A namespace needs an owner; make somebody else owner first.",
  },
  "last-device": {
    status: 409,
    family: "reject",
    title: "This is the last device of its person, who could not come back without another.",
  },
  "device-limited": {
    status: 403,
    family: "reject",
    title: "This device is for one namespace and may not do this.",
  },
  "pair-not-pending": {
    status: 409,
    family: "reject",
    title: "The request was decided already or has expired.",
  },
  "approver-too-new": {
    status: 403,
    family: "reject",
    title: "This device was paired too recently to let others in.",
  },
  "approvals-locked": {
    status: 429,
    family: "reject",
    title: "Too many wrong codes; approving is locked for a while.",
  },
  "pairing-paused": {
    status: 503,
    family: "reject",
    title: "Pairing by code is paused; links work.",
  },
  "pairing-off": {
    status: 403,
    family: "reject",
    title: "This server pairs by links alone.",
  },
  "slow-down": { status: 429, family: "retry", title: "Asked too soon; wait longer." },
  invalid: { status: 400, family: "reject", title: "The request is not well formed." },
  "too-large": { status: 413, family: "reject", title: "The request is too large." },
  "unsupported-media-type": {
    status: 415,
    family: "reject",
    title: "The content type or encoding is not supported.",
  },
  "writer-position": {
    status: 409,
    family: "heal",
    title: "The push does not follow what the server has.",
  },
  "writer-foreign": { status: 409, family: "heal", title: "The writer belongs to another device." },
  history: { status: 409, family: "heal", title: "The server's history is not the one you know." },
  "lamport-too-far": {
    status: 409,
    family: "heal",
    title: "A clock is ahead of all the server knows.",
  },
  "stale-epoch": {
    status: 409,
    family: "heal",
    title: "The namespace has a newer key; values are sealed under that one.",
  },
  "upgrade-client": {
    status: 426,
    family: "upgrade",
    title: "This client is too old for the server.",
  },
  "upgrade-server": {
    status: 426,
    family: "upgrade",
    title: "This server is too old for the client.",
  },
  internal: { status: 500, family: "bug", title: "Something went wrong on the server." },
};

/** Whether a text is an error code that this version knows. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorKinds, text);
}

/** The family of an error code. */
export function familyOf(code: ErrorCode): ErrorFamily {
  return errorKinds[code].family;
}

/** Why one op was refused for good; the op is consumed and stays visible on its device. */
export type RejectCode =
  | "invalid"
  | "too-large"
  | "forbidden"
  | "immutable"
  | "collection-mismatch"
  | "quota"
  | "unknown-record"
  | "depends"
  | "secret-detected"
  /** A value in clear, sent to a namespace of sealed ones; and the other way round. */
  | "plain-value"
  | "sealed-value";
