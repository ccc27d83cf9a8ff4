import type { ErrorCode } from "@tidemark/protocol";
import {
  pairDecisionSchema,
  pairLookupRequestSchema,
  pairPollRequestSchema,
  pairStartRequestSchema,
  type PairFacts,
  type PairPollAnswer,
} from "@tidemark/protocol/wire";
import { provenKey } from "../../auth/key-proof.ts";
import { secretHash } from "../../auth/link-secrets.ts";
import { startPairing } from "../../domain/pairing.ts";
import type { PairingFacts, PairingState } from "../../store/pairings-port.ts";
import { admission, admissionProblem, admittedDevice } from "../admission.ts";
import { answerJson } from "../answer.ts";
import type { Call, DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerNetwork } from "../caller.ts";
import { pathOf } from "../middleware/authenticate.ts";
import type { Hold } from "../pairing/poll-gate.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

type Handlers = Readonly<Record<"pairStart" | "pairPoll", (call: Call) => Promise<Response>>> &
  Readonly<
    Record<"pairLookup" | "pairApprove" | "pairDeny", (call: DeviceCall) => Promise<Response>>
  >;

/** Pairing by a code that the new device shows and a paired one approves (PR1 to PR7). */
export function createPairingHandlers(parts: Parts): Handlers {
  return {
    pairStart: async (call) =>
      isOff(parts) ? problem(call.c, "pairing-off") : await start(parts, call),
    pairPoll: async (call) => await poll(parts, call),
    pairLookup: async (call) =>
      isOff(parts) ? problem(call.c, "pairing-off") : await lookUp(parts, call),
    pairApprove: async (call) =>
      isOff(parts) ? problem(call.c, "pairing-off") : await decide(parts, call, "approved"),
    pairDeny: async (call) => await decide(parts, call, "denied"),
  };
}

function isOff(parts: Parts): boolean {
  return parts.pairing === "links-only";
}

async function keyOf(parts: Parts, { c }: Call): ReturnType<typeof provenKey> {
  const { method } = c.req;
  return await provenKey(parts, { method, path: pathOf(c), dpop: c.req.header("dpop") });
}

async function start(parts: Parts, call: Call): Promise<Response> {
  const { c } = call;
  const request = parseJson(pairStartRequestSchema, call.body);
  if (!request.ok) return problem(c, request.error);
  const key = await keyOf(parts, call);
  if (!key.ok) return problem(c, key.error);
  const device = await admittedDevice(parts, request.value.device);
  if (!device.ok) return problem(c, device.error);
  // Whoever shows a key has to have it: a request must not be made in another device's name.
  if (!parts.isSameSecret(device.value.thumbprint, key.value)) return problem(c, "invalid-token");
  const { mac, salt } = request.value;
  const network = callerNetwork(parts, c);
  const deps = { ...parts, hash: (secret: string) => secretHash(parts, secret) };
  const started = await startPairing(deps, { mac, salt, device: device.value }, network);
  if (started.ok) {
    parts.polls.opened();
    parts.log.info("pairing-started", { network });
    return await answerJson(parts, call, started.value, 201);
  }
  const { error } = started;
  parts.log.warn("pairing-refused", { reason: error.kind });
  if (error.kind === "key-in-use") return admissionProblem(c, { kind: "key-in-use" }, "join");
  if (error.kind === "pairing-paused") return lockedProblem(parts, call, error);
  const title = "Too many devices wait to be let in. Try again in a few minutes, or use a link.";
  return problem(c, "rate-limited", { title, retryAfterMs: 60_000 });
}

async function poll(parts: Parts, call: Call): Promise<Response> {
  const { c } = call;
  const request = parseJson(pairPollRequestSchema, call.body);
  if (!request.ok) return problem(c, request.error);
  const key = await keyOf(parts, call);
  if (!key.ok) return problem(c, key.error);
  const { id, secret, wait = false } = request.value;
  const pollHash = secretHash(parts, secret);
  const asked = { id, pollHash, thumbprint: key.value, network: callerNetwork(parts, c) };
  const ask = async (): Promise<PairingState> =>
    await parts.accounts.pollPairing({ ...asked, nowMs: parts.clock.nowMs() });
  const state = await ask();
  if (state.kind !== "pending") return await answerState(parts, call, state);
  // Counted only for whoever has secret and key: nobody else can slow a device down.
  const turn = parts.polls.arrive(id);
  const isHasty = turn.kind === "slow-down";
  const hold = wait && !isHasty ? parts.polls.hold(id) : undefined;
  if (isHasty || (wait && hold === undefined)) {
    return problem(c, "slow-down", { retryAfterMs: turn.intervalMs });
  }
  const last = hold === undefined ? state : await held(hold, ask, c.req.raw.signal);
  if (last.kind !== "pending") return await answerState(parts, call, last);
  const pending: PairPollAnswer = { status: "pending", intervalMs: turn.intervalMs };
  return await answerJson(parts, call, pending);
}

/** Asks again and again as long as a poll may be held. */
async function held(
  hold: Hold,
  ask: () => Promise<PairingState>,
  signal: AbortSignal,
): Promise<PairingState> {
  let state: PairingState = { kind: "pending" };
  try {
    while (state.kind === "pending" && (await hold.next())) {
      // Whoever has hung up would never hear of an approval that can be told only once.
      if (signal.aborted) break;
      state = await ask();
    }
    return state;
  } finally {
    hold.release();
  }
}

async function answerState(
  parts: Parts,
  call: Call,
  state: Exclude<PairingState, { readonly kind: "pending" }>,
): Promise<Response> {
  switch (state.kind) {
    case "unknown":
      return problem(call.c, "invalid-or-expired");
    case "wrong-key":
      return problem(call.c, "invalid-token");
    case "key-in-use":
    case "too-many-devices":
      return admissionProblem(call.c, { kind: state.kind }, "join");
    case "admitted": {
      const { id } = await parts.claim.server();
      const { pair, approvedBy, isNameShared } = state;
      if (!state.isRepeat)
        parts.log.info("device-joined", { device: pair.device.id, by: approvedBy.id });
      const answer: PairPollAnswer = {
        status: "approved",
        admission: admission(id, pair),
        approvedBy,
        isNameShared,
      };
      return await answerJson(parts, call, answer);
    }
    default:
      return await answerJson(parts, call, { status: state.kind } satisfies PairPollAnswer);
  }
}

async function lookUp(parts: Parts, call: DeviceCall): Promise<Response> {
  const request = parseJson(pairLookupRequestSchema, call.body);
  if (!request.ok) return problem(call.c, request.error);
  const nowMs = parts.clock.nowMs();
  const network = callerNetwork(parts, call.c);
  const asked = { asking: call.device.id, code: request.value.code, network, nowMs };
  const found = await parts.accounts.lookUpPairing(asked);
  if (found.ok) return await answerJson(parts, call, factsFor(found.value, { network, nowMs }));
  parts.log.warn("pairing-lookup-refused", { reason: found.error.kind, device: call.device.id });
  if ("untilMs" in found.error) return lockedProblem(parts, call, found.error);
  const title = "No device waits with this code. Codes work for five minutes and once.";
  const { kind } = found.error;
  return problem(call.c, kind, kind === "invalid-or-expired" ? { title } : {});
}

function factsFor(
  facts: PairingFacts,
  at: { readonly network: string | undefined; readonly nowMs: number },
): PairFacts {
  const { id, name, platform, thumbprint, mac, salt, network, createdAtMs, expiresAtMs } = facts;
  const isKnown = network !== undefined && at.network !== undefined;
  return {
    id,
    name,
    platform,
    thumbprint,
    mac,
    salt,
    network: network ?? null,
    isSameNetwork: isKnown ? network === at.network : null,
    ageMs: Math.max(0, at.nowMs - createdAtMs),
    expiresInMs: Math.max(0, expiresAtMs - at.nowMs),
  };
}

async function decide(
  parts: Parts,
  call: DeviceCall,
  decision: "approved" | "denied",
): Promise<Response> {
  const request = parseJson(pairDecisionSchema, call.body);
  if (!request.ok) return problem(call.c, request.error);
  const { id } = request.value;
  const decided = await parts.accounts.decidePairing({
    asking: call.device.id,
    id,
    decision,
    network: callerNetwork(parts, call.c),
    nowMs: parts.clock.nowMs(),
  });
  if (decided.ok) {
    parts.polls.wake(id);
    parts.log.info("pairing-decided", { decision, by: call.device.id });
    return await answerJson(parts, call, {});
  }
  const { error } = decided;
  return "untilMs" in error ? lockedProblem(parts, call, error) : problem(call.c, error.kind);
}

function lockedProblem(
  parts: Parts,
  { c }: Call,
  error: { readonly kind: ErrorCode; readonly untilMs: number },
): Response {
  const retryAfterMs = Math.max(1_000, error.untilMs - parts.clock.nowMs());
  return problem(c, error.kind, { retryAfterMs });
}
