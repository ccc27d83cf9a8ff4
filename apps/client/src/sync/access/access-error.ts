import type { Result } from "@tidemark/protocol";
import { wayHintOf } from "../http/way-trouble.ts";
import type { Failure } from "../transport.ts";

/** Why pairing or an account call did not work, in words for a person. */
export interface AccessError {
  readonly code: string;
  readonly message: string;
  /** The next thing to do. */
  readonly hint: string;
}

/** How a call that a person waits for ends. */
export type Done<T> = Promise<Result<T, AccessError>>;

type AccessWords = Pick<AccessError, "message" | "hint">;

/** What a failed call means to a person (AU57). */
export function accessError(failure: Failure): AccessError {
  const known = wordsByCode[failure.code];
  if (known !== undefined) return { code: failure.code, ...known };
  return {
    code: failure.code,
    message: sentence(failure.title),
    hint: wayHintOf(failure.code) ?? hintOf(failure),
  };
}

/** Where the server says how long to wait, so does the hint: no command waits on its own (AU57). */
function hintOf({ family, retryAfterMs = 0 }: Failure): string {
  if (family !== "retry" || retryAfterMs <= 0) return hintByFamily[family];
  return `try again in ${String(Math.ceil(retryAfterMs / 1000))} s`;
}

function sentence(title: string): string {
  const text = title.replace(/\.$/, "");
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const changedOnTheWay: AccessWords = {
  message: "something between this device and the server changes requests",
  hint: "reach the server without the proxy that does, or have it leave Tidemark's address alone",
};

const wordsByCode: Readonly<Record<string, AccessWords>> = {
  unreachable: {
    message: "the server cannot be reached",
    hint: "check the address and the network, then try again",
  },
  "not-tidemark": {
    message: "something else than a Tidemark server answers at this address",
    hint: "check the address; on a guest network, sign in to it first",
  },
  redirected: {
    message: "the server's address leads on to another one, which is not followed",
    hint: "on a guest network, sign in to it first; else ask who runs the server for its address, and pair with a link for that one",
  },
  "invalid-or-expired": {
    message: "the link is unknown, used up or expired",
    hint: "ask for a new one: `tidemark device add`, `tidemark namespace invite`, or on the server `tidemark-server setup-link`",
  },
  "already-claimed": {
    message: "this server has an owner already",
    hint: "ask the owner for a link: `tidemark device add` or `tidemark namespace invite`; where the owner has lost every device, `tidemark-server owner-reset` on its host prints one",
  },
  "setup-required": {
    message: "this server has no owner yet",
    hint: "open its setup link with `tidemark pair`; `tidemark-server setup-link` prints it",
  },
  conflict: {
    message: "this device's key is known to the server already",
    hint: "run `tidemark status`: the device may be paired already",
  },
  "body-changed": changedOnTheWay,
  "query-changed": changedOnTheWay,
  "device-revoked": {
    message: "this device was revoked",
    hint: "pair it again with a new link; what it holds is kept",
  },
  "key-copied": {
    message: "the key of this device was used in another place as well",
    hint: "run `tidemark sync` again; if another machine has a copy of this folder, pair one of the two anew with TIDEMARK_HOME set to an empty folder",
  },
  "invalid-token": {
    message: "the server does not know this device, or not from here",
    hint: "a machine works from the networks of its link alone; else pair it again with a new link: what it holds is kept",
  },
  "last-owner": {
    message: "a namespace keeps at least one owner",
    hint: "make somebody else an owner first: `tidemark namespace role NAME USER owner`",
  },
  "last-device": {
    message: "this is your last device; without one you cannot come back",
    hint: "pair another first: `tidemark device add`; or shut it out all the same with --force",
  },
  forbidden: {
    message: "your role does not allow this",
    hint: "ask an admin of the namespace",
  },
  "not-found": {
    message: "there is no such thing on the server, or you may not see it",
    hint: "check the name; `tidemark namespace list` shows what you are a member of",
  },
  "device-limited": {
    message: "this device is for one namespace and may not do this",
    hint: "do it on a device of yours; `tidemark device list` there shows which those are",
  },
  "pair-not-pending": {
    message: "the request was decided already, or it has expired",
    hint: "`tidemark device list` shows whether the device is in; else let it show a new code",
  },
  "approver-too-new": {
    message: "this device was paired less than 15 minutes ago and lets nobody in yet",
    hint: "do it on a device that was paired earlier, or here once the 15 minutes are over",
  },
  "approvals-locked": {
    message: "too many wrong codes: approving is locked for an hour",
    hint: "use a link meanwhile: `tidemark device add`; did you not type them? `tidemark device list`",
  },
  "pairing-paused": {
    message: "pairing by code is paused: the server has seen too many wrong codes",
    hint: "try again in ten minutes, or use a link: `tidemark device add`",
  },
  "pairing-off": {
    message: "this server pairs by links alone",
    hint: "on a paired device: `tidemark device add`",
  },
  "upgrade-client": {
    message: "this client is too old for the server",
    hint: "update tidemark on this device",
  },
  "upgrade-server": {
    message: "the server is too old for this client",
    hint: "ask who runs the server to update it",
  },
};

const hintByFamily: Readonly<Record<Failure["family"], string>> = {
  retry: "try again in a moment",
  auth: "run `tidemark status` to see how this device is paired",
  reject: "check what you asked for",
  heal: "run `tidemark sync`, then try again",
  upgrade: "update the older side",
  bug: "try again; if it stays, look into the server's log",
};
