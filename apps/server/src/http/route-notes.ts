import type { ErrorCode } from "@tidemark/protocol";
import type { RouteName } from "./route-table.ts";

/** What the published description of a route says beside its rules. */
export interface RouteNote {
  readonly summary: string;
  readonly status: 200 | 201;
  /** What it answers itself; what its rules bring along is not repeated here. */
  readonly errors: readonly ErrorCode[];
  readonly query?: readonly string[];
}

const note = (
  summary: string,
  errors: readonly ErrorCode[] = [],
  more: Partial<Omit<RouteNote, "summary" | "errors">> = {},
): RouteNote => ({ summary, errors, status: 200, ...more });

const made = { status: 201 } as const;
const linkErrors = ["forbidden", "not-found", "approver-too-new", "conflict"] as const;
const decisionErrors = [
  "invalid-or-expired",
  "pair-not-pending",
  "approver-too-new",
  "approvals-locked",
  "pairing-paused",
  "pairing-off",
] as const;
const pages = { query: ["after", "limit"] } as const;

/** One note for each route. */
export const routeNotes: Readonly<Record<RouteName, RouteNote>> = {
  health: note("Whether the process lives."),
  ready: note("Whether it takes requests and its database answers."),
  jwks: note("The keys that verify access tokens."),
  openapi: note("This document."),
  hello: note("What this server is; with a token also who asks and what they may see."),
  setup: note(
    "Opens the setup link: makes the owner and pairs the first device.",
    ["invalid-or-expired", "already-claimed", "conflict"],
    made,
  ),
  join: note(
    "Opens a link of `device add` or `namespace invite`.",
    ["invalid-or-expired", "conflict"],
    made,
  ),
  joinJob: note(
    "Lets a CI job's machine in by the job's own token.",
    ["invalid-token", "conflict"],
    made,
  ),
  token: note("An access token for a device's assertion.", [
    "invalid-token",
    "device-revoked",
    "key-copied",
  ]),
  consoleLink: note("Makes a link by which a browser signs in to the console.", [], made),
  link: note("Makes a link for a device, a person or machines.", linkErrors, made),
  linkState: note("What became of a link, for who made it.", ["not-found"]),
  links: note("Links that open, and those whose machines are still let in."),
  linkRevoke: note("Ends a link, with what it let in where asked for.", ["not-found"], {
    query: ["devices"],
  }),
  pairStart: note(
    "A device that nobody knows asks for a code.",
    ["invalid-token", "conflict", "pairing-paused", "pairing-off"],
    made,
  ),
  pairPoll: note("What became of its request.", [
    "invalid-token",
    "invalid-or-expired",
    "slow-down",
    "conflict",
  ]),
  pairLookup: note("Who shows a code.", decisionErrors),
  pairApprove: note("Lets a device in that shows a code.", decisionErrors),
  pairDeny: note("Says no to it.", decisionErrors),
  accept: note("Accepts an invite with a device that is paired already.", [
    "invalid-or-expired",
    "conflict",
  ]),
  audit: note("Who did what on the server, or in a namespace.", ["forbidden", "not-found"], {
    query: ["namespace", ...pages.query],
  }),
  auditCheck: note("Follows the audit's chain.", ["forbidden"]),
  devices: note("The asking person's devices."),
  deviceLog: note("What happened to them, and what they did.", ["invalid"], pages),
  deviceRename: note("Renames one.", ["not-found"]),
  deviceRevoke: note("Shuts one out; tells what it had let in.", ["not-found", "last-device"], {
    query: ["force"],
  }),
  quarantine: note("Hides what a device wrote since a time, in every namespace of it.", [
    "not-found",
  ]),
  quarantineLift: note("Shows what a device wrote again.", ["not-found"]),
  namespaceCreate: note("Makes a namespace to share.", ["conflict"], made),
  sealingKey: note("Keeps a device's key for wraps; from then on it sees encrypted namespaces.", [
    "device-revoked",
  ]),
  sealedKeys: note(
    "The membership log of an encrypted namespace, and keys wrapped for a device.",
    ["not-found"],
    { query: ["for"] },
  ),
  sealedKeysChange: note("Adds signed entries to a membership log, and wrapped keys.", [
    "not-found",
    "forbidden",
    "conflict",
  ]),
  namespacesDeleted: note("Deleted namespaces that the asking person may restore."),
  namespaceDelete: note("Deletes a namespace; its owners can restore it for 30 days.", [
    "not-found",
    "forbidden",
  ]),
  namespaceRestore: note("Brings a deleted namespace back as it was.", ["not-found"]),
  members: note("Members and roles.", ["not-found"]),
  memberRole: note("Changes a member's role.", ["not-found", "forbidden", "last-owner"]),
  memberRemove: note("Removes a member, or ends one's own membership.", [
    "not-found",
    "forbidden",
    "last-owner",
  ]),
  waiting: note("Who opened an invite and waits to be let in, for admins and owners.", [
    "not-found",
    "forbidden",
  ]),
  memberConfirm: note("Lets in who waits, with the role that was shown.", [
    "not-found",
    "forbidden",
    "conflict",
  ]),
  memberDecline: note("Sends away who waits.", ["not-found", "forbidden"]),
  push: note("Ops of one writer, in order.", [
    "not-found",
    "writer-position",
    "writer-foreign",
    "lamport-too-far",
  ]),
  pull: note("A page of states above a cursor.", ["not-found", "invalid", "history"], {
    query: ["writer", ...pages.query],
  }),
  digests: note("Digests of the namespace's buckets, or of one.", ["not-found", "invalid"], {
    query: ["bucket", ...pages.query],
  }),
  heal: note("Full states both ways.", ["not-found", "writer-foreign"]),
  revisions: note("What a record's fields once were.", ["not-found"]),
  pokes: note("Server-sent events: heads that moved."),
};
