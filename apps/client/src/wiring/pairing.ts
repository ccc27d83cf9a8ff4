import { base32, fail, ok, type Result } from "@tidemark/protocol";
import type { Link } from "@tidemark/protocol/wire";
import { systemClock } from "../platform/clock.ts";
import { hmacSha256, sha256 } from "../platform/hash.ts";
import { removeIdentity, writeIdentity, type Identity } from "../platform/identity.ts";
import { systemRandom } from "../platform/random.ts";
import type { AccessError } from "../sync/access/access-error.ts";
import { linkBinding } from "../sync/access/link-secrets.ts";
import {
  acceptInvite,
  greet,
  openLink,
  readLink,
  wrongServer,
  type Paired,
} from "../sync/access/pairing.ts";
import type { LetIn } from "../sync/access/pulled-pairing.ts";
import { checkServerAddress } from "../sync/access/server-address.ts";
import { createLinkBook } from "../sync/sealed/link-book.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import { askServer, giveUp, type Invitation, type Waiting } from "./ask-to-join.ts";
import { isDeviceKeyLost, renewDeviceKey, useOrMakeDeviceKey } from "./device-key.ts";
import { pairAsJob, type JobOptions } from "./job-pairing.ts";
import { newcomerOf, type OpenLinkOptions } from "./newcomer.ts";
import { connectServer, openCaller } from "./server.ts";
import { endingWith, inPairTurn, takePairTurn } from "./pair-turn.ts";
import { UserError } from "./user-error.ts";

/** Pairs this device: by one-time links, and by codes. */
export interface Pairing {
  open(
    link: string,
    options: OpenLinkOptions,
    signal: AbortSignal,
  ): Promise<Result<void, AccessError>>;
  /**
   * Asks a server to let this device in by a code that somebody approves (PR1). Nothing is kept
   * before the invitation is accepted.
   */
  ask(
    serverUrl: string,
    options: OpenLinkOptions,
    waiting: Waiting,
    signal: AbortSignal,
  ): Promise<Result<Invitation, AccessError>>;
  /** Pairs with a server by the token of the CI job that this runs in (PR19). */
  joinAsJob(
    serverUrl: string,
    options: JobOptions,
    signal: AbortSignal,
  ): Promise<Result<void, AccessError>>;
  /** Keeps the new name of this device beside its identity. */
  renameThisDevice(name: string): void;
}

/** Wires pairing for a home. */
export function createPairing(home: Home, memory: Memory): Pairing {
  return {
    open: async (text, options, signal) => {
      const link = linkOf(text, options);
      if (!link.ok) return link;
      return await inPairTurn(home, () =>
        open(home, memory, { link: link.value, options, signal }),
      );
    },
    ask: async (serverUrl, options, waiting, signal) => {
      const turn = await takePairTurn(home);
      if (!turn.ok) return turn;
      try {
        const asked = await ask({ home, memory, options }, serverUrl, waiting, signal);
        if (asked.ok) return ok(endingWith(asked.value, turn.value));
        turn.value.release();
        return asked;
      } catch (cause) {
        turn.value.release();
        throw cause;
      }
    },
    joinAsJob: async (address, options, signal) => {
      const url = checkServerAddress(address.trim(), options);
      if (!url.ok) return url;
      return await inPairTurn(home, () =>
        joinAsJob(home, memory, { url: url.value, options, signal }),
      );
    },
    renameThisDevice: (name) => {
      const identity = home.identity();
      if (identity !== undefined) {
        keepIdentity(home, memory, { ...identity, device: { ...identity.device, name } });
      }
    },
  };
}

async function open(
  home: Home,
  memory: Memory,
  opening: Opening,
): Promise<Result<void, AccessError>> {
  const { link, options, signal } = opening;
  if (link.kind !== "invite") await giveUpLostKey(home, options);
  const identity = home.identity();
  if (identity === undefined) return await joinFirst(home, memory, opening);
  const standing = await standingOf(home, signal);
  if (standing === "unknown") return await joinAnew(home, memory, { ...opening, identity });
  if (link.kind === "invite" || standing === "known") {
    return await accept(home, link, { identity, signal });
  }
  await renewDeviceKey(home);
  return await join(home, memory, opening);
}

async function joinAsJob(
  home: Home,
  memory: Memory,
  { url, options, signal }: JoiningJob,
): Promise<Result<void, AccessError>> {
  const identity = home.identity();
  if (identity !== undefined) {
    // A runner that keeps its home is in already, as long as the server has heard of it.
    const standing = await standingOf(home, signal);
    if (standing === "known") {
      return identity.server.url === url ? ok(undefined) : fail(alreadyPaired);
    }
    if (standing === "shut-out") await renewDeviceKey(home);
  }
  const paired = await pairAsJob(home, { url, options }, signal);
  if (!paired.ok) return paired;
  settle(home, memory, paired.value);
  return ok(undefined);
}

interface JoiningJob {
  readonly url: string;
  readonly options: JobOptions;
  readonly signal: AbortSignal;
}

interface Opening {
  readonly link: Link;
  readonly options: OpenLinkOptions;
  readonly signal: AbortSignal;
}

function linkOf(text: string, options: OpenLinkOptions): Result<Link, AccessError> {
  return readLink(text, options);
}

interface Asking {
  readonly home: Home;
  readonly memory: Memory;
  readonly options: OpenLinkOptions;
}

async function ask(
  { home, memory, options }: Asking,
  address: string,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<Result<Invitation, AccessError>> {
  const url = checkServerAddress(address.trim(), options);
  if (!url.ok) return url;
  await giveUpLostKey(home, options);
  const standing = home.identity() === undefined ? "unknown" : await standingOf(home, signal);
  if (standing === "known") return fail(alreadyPaired);
  if (standing === "shut-out") await renewDeviceKey(home);
  const first = await askWith(home, { url: url.value, options, waiting }, signal);
  // A key that the server knows and this home has no name for is left from an answer that was lost.
  const isLeftOver = !first.ok && first.error.code === "conflict";
  if (isLeftOver) await renewDeviceKey(home);
  const answer = isLeftOver
    ? await askWith(home, { url: url.value, options, waiting }, signal)
    : first;
  if (!answer.ok) return answer;
  return ok(invitationOf({ home, memory }, url.value, answer.value));
}

async function askWith(
  home: Home,
  call: { readonly url: string; readonly options: OpenLinkOptions; readonly waiting: Waiting },
  signal: AbortSignal,
): Promise<Result<LetIn, AccessError>> {
  const key = await useOrMakeDeviceKey(home);
  const newcomer = newcomerOf(home, key, call.options);
  return await askServer(call.url, { newcomer, key }, call.waiting, signal);
}

function invitationOf(
  { home, memory }: { readonly home: Home; readonly memory: Memory },
  serverUrl: string,
  letIn: LetIn,
): Invitation {
  const { user, device, server } = letIn.admission;
  return {
    user,
    serverUrl,
    approvedBy: letIn.approvedBy,
    isNameShared: letIn.isNameShared,
    accept: () => {
      const pairedAtMs = systemClock.nowMs();
      keepIdentity(home, memory, {
        user,
        device,
        server: { id: server.id, url: serverUrl },
        pairedAtMs,
      });
      memory.store.replicas.renewWriters();
    },
    refuse: async (signal) => {
      await giveUp(serverUrl, { letIn, key: await useOrMakeDeviceKey(home) }, signal);
      await renewDeviceKey(home);
    },
  };
}

const alreadyPaired: AccessError = {
  code: "already-paired",
  message: "this device is paired already",
  hint: "see `tidemark status`; another server needs a home of its own: set TIDEMARK_HOME to an empty folder",
};

/**
 * Joins with a home that has no name yet. A key that the server knows all the same is left from an
 * answer that was lost, or from a `device.json` that was moved away: it is given up for a new one. An
 * invite does that only where a person says so: whoever is known would be there twice.
 */
async function joinFirst(
  home: Home,
  memory: Memory,
  opening: Opening,
): Promise<Result<void, AccessError>> {
  const joined = await join(home, memory, opening);
  if (joined.ok || joined.error.code !== "conflict") return joined;
  if (opening.link.kind === "invite" && opening.options.isKeyGivenUp !== true) {
    return fail({ ...joined.error, hint: leftOverHint });
  }
  await renewDeviceKey(home);
  return await join(home, memory, opening);
}

const leftOverHint =
  "an earlier try came in, and this home did not hear of it: `tidemark pair <link> --new-key` comes in once more, as somebody new";

async function join(
  home: Home,
  memory: Memory,
  { link, options, signal }: Opening,
): Promise<Result<void, AccessError>> {
  const key = await useOrMakeDeviceKey(home);
  const hashes = { sha256, hmacSha256 };
  const deps = { callerFor: openCaller, hashes };
  const prefix = link.kind === "setup" ? undefined : link.namePrefix;
  const named = prefix === undefined ? options : { deviceName: machineName(prefix), ...options };
  const paired = await openLink(deps, link, newcomerOf(home, key, named), signal);
  if (!paired.ok) return paired;
  settle(home, memory, paired.value);
  if (link.kind === "device") {
    // What the device that made the link vouches for is taken as asked for (EE22).
    const { id, secret } = link;
    const serverId = paired.value.admission.server.id;
    const book = createLinkBook({ facts: memory.store.upkeep, clock: systemClock, serverId });
    book.keep({ id, side: "opened", binding: linkBinding(hashes, secret), lifeMs: 0 });
  }
  return ok(undefined);
}

function settle(home: Home, memory: Memory, { admission, serverUrl }: Paired): void {
  const { user, device, server } = admission;
  const identity = { user, device, server: { id: server.id, url: serverUrl } };
  keepIdentity(home, memory, { ...identity, pairedAtMs: systemClock.nowMs() });
  memory.store.replicas.renewWriters();
}

async function accept(
  home: Home,
  link: Link,
  { identity, signal }: { readonly identity: Identity; readonly signal: AbortSignal },
): Promise<Result<void, AccessError>> {
  const { caller } = await connectServer(home);
  const hashes = { sha256, hmacSha256 };
  const deps = { caller, hashes, serverId: identity.server.id };
  const accepted = await acceptInvite(deps, link, signal);
  return accepted.ok ? ok(undefined) : accepted;
}

/**
 * Joins with a device that its server knows no more, as after a backup from before it was paired. It
 * keeps its key, so that a link that does not open costs nothing; where the server has the key under
 * another name of this device, a link for a device takes a new one. An invite does not: it would make
 * a second person of whoever is known.
 */
async function joinAnew(
  home: Home,
  memory: Memory,
  opening: Opening & { readonly identity: Identity },
): Promise<Result<void, AccessError>> {
  const hello = await greet(openCaller(opening.link.url), opening.signal);
  if (!hello.ok) return hello;
  if (hello.value.server.id !== opening.identity.server.id) return fail(wrongServer);
  const joined = await join(home, memory, opening);
  const isKeyKnown = !joined.ok && joined.error.code === "conflict";
  if (!isKeyKnown || opening.link.kind === "invite") return joined;
  await renewDeviceKey(home);
  return await join(home, memory, opening);
}

/**
 * What this device is to its server; where that cannot be asked, it is taken to be known. Who is
 * shut out comes back as a new device, for the server never takes its old key again, and a key that
 * another copy keeps ahead of is no good to this home. Who is unknown was let in after the state
 * that the server was put back to, or comes from elsewhere than its link allows (CL52).
 */
async function standingOf(
  home: Home,
  signal: AbortSignal,
): Promise<"known" | "shut-out" | "unknown"> {
  const hello = await (await connectServer(home)).transport.hello(signal);
  if (hello.ok) return hello.value.device === undefined ? "unknown" : "known";
  const { code } = hello.error;
  if (code === "invalid-token") return "unknown";
  return code === "device-revoked" || code === "key-copied" ? "shut-out" : "known";
}

/** Makes this home one that was never paired, under a new key: only where a person says so. */
async function giveUpLostKey(home: Home, { isKeyGivenUp }: OpenLinkOptions): Promise<void> {
  if (isKeyGivenUp !== true || !(await isDeviceKeyLost(home))) return;
  await renewDeviceKey(home);
  removeIdentity(home.paths.identity);
}

/** What a machine of a fleet is called unless it is told: all of them may have one host name. */
function machineName(prefix: string): string {
  return `${prefix}-${base32(systemRandom.bytes(3))}`;
}

function keepIdentity(home: Home, memory: Memory, identity: Identity): void {
  const written = writeIdentity(home.paths.identity, identity);
  if (!written.ok) {
    const { path, hint } = written.error;
    throw new UserError({ code: "identity", message: `${path} cannot be written`, hint });
  }
  memory.store.setIdentity(identity);
}
