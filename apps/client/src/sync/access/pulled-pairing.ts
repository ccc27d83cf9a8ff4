/** Pairing by a code: the new device shows it, and waits for somebody's yes (PR1). */
import { fail, isId, ok, type Result } from "@tidemark/protocol";
import {
  drawPairHalf,
  pairCodeText,
  pairPollAnswerSchema,
  pairStartAnswerSchema,
  type Admission,
  type PairPollAnswer,
  type PairStartAnswer,
} from "@tidemark/protocol/wire";
import { base64url } from "jose";
import type { z } from "zod";
import type { Caller } from "../http/caller.ts";
import { pause, type Clock, type Random, type Timers } from "../ports.ts";
import { cancelled, type Answer } from "../transport.ts";
import { accessError, type AccessError } from "./access-error.ts";
import type { KeySigner } from "./key-signer.ts";
import { pairMac, type PairHashes } from "./pair-mac.ts";
import { greet, newDevice, type Newcomer } from "./pairing.ts";

/** What asking to be let in needs. */
export interface PulledDeps {
  /** A caller without credentials, of the server that was named. */
  readonly caller: Caller;
  /** Of the key that the newcomer names. */
  readonly signer: KeySigner;
  readonly hashes: PairHashes;
  readonly random: Random;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Whatever a server says: how often it is asked, and how long a code is waited for. */
const intervalMsMin = 1_000;
const intervalMsMax = 60_000;
const lifeMsMax = 600_000;
/** How long after its time a request is asked about whose last answer was lost. */
const lostMsMax = 60_000;

/** What a person sees while the device waits. */
export interface CodeShown {
  /** Such as `WDJB-MJHT-7KQ2XN`. */
  readonly code: string;
  /** By this device's clock. */
  readonly expiresAtMs: number;
}

/** Somebody let the device in. */
export interface LetIn {
  readonly admission: Admission;
  readonly approvedBy: string;
  /** Whether the server knows somebody else by the person's name. */
  readonly isNameShared: boolean;
}

/**
 * Asks a server to let this device in, shows the code, and waits until somebody has decided or the
 * code has expired. Nothing but key, name and platform is sent.
 */
export async function askToJoin(
  deps: PulledDeps,
  newcomer: Newcomer,
  show: (shown: CodeShown) => void,
  signal: AbortSignal,
): Promise<Result<LetIn, AccessError>> {
  const hello = await greet(deps.caller, signal);
  if (!hello.ok) return hello;
  const { id: serverId, time } = hello.value.server;
  // It stands in what the code vouches for, between the device's name and nothing.
  if (!isId(serverId)) return fail(accessError({ family: "bug", code: "not-tidemark", title: "" }));
  const { clock } = deps;
  const offsetMs = time - clock.nowMs();
  const send = sender(deps, () => clock.nowMs() + offsetMs);
  const half = drawPairHalf((count) => deps.random.bytes(count));
  const started = await start({ ...deps, send, serverId }, newcomer, half, signal);
  if (!started.ok) return started;
  const { code, expiresInMs } = started.value;
  const expiresAtMs = clock.nowMs() + Math.min(expiresInMs, lifeMsMax);
  show({ code: pairCodeText(code, half), expiresAtMs });
  const answer = await wait({ ...deps, send, expiresAtMs }, started.value, signal);
  if (!answer.ok) return answer;
  if (answer.value.admission.server.id !== serverId) return fail(wrongServer);
  return answer;
}

type Send = <T>(
  path: string,
  body: object,
  schema: z.ZodType<T>,
  signal: AbortSignal,
) => Promise<Answer<T>>;

/** Sends with a proof by the new device's key, which no server knows yet. */
function sender({ caller, signer }: PulledDeps, nowMs: () => number): Send {
  return async (path, body, schema, signal) => {
    const proof = await signer.proof({ method: "POST", url: caller.serverUrl + path }, nowMs());
    const text = JSON.stringify(body);
    const call = {
      method: "POST",
      path,
      headers: { dpop: proof },
      body: { type: "application/json", content: text },
    } as const;
    return await caller.json(call, schema, signal);
  };
}

async function start(
  deps: PulledDeps & { readonly send: Send; readonly serverId: string },
  newcomer: Newcomer,
  half: string,
  signal: AbortSignal,
): Promise<Result<PairStartAnswer, AccessError>> {
  const { thumbprint, deviceName: name } = newcomer;
  const salt = base64url.encode(deps.random.bytes(16));
  const mac = await pairMac(
    deps.hashes,
    { half, salt },
    { thumbprint, name, serverId: deps.serverId },
  );
  const request = { device: newDevice(newcomer), mac, salt };
  const answer = await deps.send("/v1/pair/start", request, pairStartAnswerSchema, signal);
  if (answer.ok) return answer;
  return fail(answer.error.code === "not-found" ? noCodes : accessError(answer.error));
}

interface Waiting extends PulledDeps {
  readonly send: Send;
  readonly expiresAtMs: number;
}

/** Asks until there is an answer that ends it; a network that is away for a moment ends nothing. */
async function wait(
  deps: Waiting,
  { id, secret, intervalMs }: PairStartAnswer,
  signal: AbortSignal,
): Promise<Result<LetIn, AccessError>> {
  let graceMs = 0;
  for (;;) {
    const askedAtMs = deps.clock.nowMs();
    if (askedAtMs >= deps.expiresAtMs + graceMs) return fail(expired);
    const poll = { id, secret, wait: true };
    const answer = await deps.send("/v1/pair/poll", poll, pairPollAnswerSchema, signal);
    if (signal.aborted) return fail(accessError(cancelled));
    if (answer.ok && answer.value.status !== "pending") return judge(answer.value);
    if (!answer.ok && answer.error.family !== "retry") {
      const { code } = answer.error;
      return fail(code === "invalid-or-expired" ? expired : accessError(answer.error));
    }
    // An answer that was lost may have been the yes, which is told once more.
    graceMs = answer.ok ? 0 : lostMsMax;
    const leftMs = askedAtMs + pauseMsAfter(answer, intervalMs) - deps.clock.nowMs();
    if (leftMs > 0) await pause(deps.timers, leftMs, signal);
  }
}

function pauseMsAfter(answer: Answer<PairPollAnswer>, intervalMs: number): number {
  const told = answer.ok ? intervalOf(answer.value) : answer.error.retryAfterMs;
  return Math.min(Math.max(told ?? intervalMs, intervalMsMin), intervalMsMax);
}

function intervalOf(answer: PairPollAnswer): number | undefined {
  return answer.status === "pending" ? answer.intervalMs : undefined;
}

function judge(
  answer: Exclude<PairPollAnswer, { readonly status: "pending" }>,
): Result<LetIn, AccessError> {
  switch (answer.status) {
    case "denied":
      return fail(denied);
    case "expired":
      return fail(expired);
    case "approved": {
      const { admission, approvedBy, isNameShared = false } = answer;
      return ok({ admission, approvedBy: approvedBy.name, isNameShared });
    }
  }
}

const denied: AccessError = {
  code: "denied",
  message: "the request was denied; nothing was sent",
  hint: "ask who denied it, or use a link: `tidemark device add` on a paired device",
};

const expired: AccessError = {
  code: "expired",
  message: "nobody approved the code in time; nothing was sent",
  hint: "run the command again: codes work for five minutes",
};

const noCodes: AccessError = {
  code: "no-codes",
  message: "this server is too old to pair by a code",
  hint: "use a link: `tidemark device add` on a paired device prints one",
};

const wrongServer: AccessError = {
  code: "wrong-server",
  message: "another server answers than the one that was asked",
  hint: "check the address; nothing was sent",
};
