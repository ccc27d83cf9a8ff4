/** One push of one namespace: plan, request, answer into the store, what it came to. */
import type { NamespaceId } from "@tidemark/protocol";
import type { PushAnswer } from "@tidemark/protocol/wire";
import type { PushLimits, PushPlan } from "../store/replica-store.ts";
import type { Exchanged, ExchangeDeps } from "./exchange.ts";
import { foreignPosition } from "./foreign-position.ts";
import { isTooLargeOnTheWay } from "./http/failures.ts";
import type { Happening, PushOutcome } from "./machine/event.ts";
import { createGate } from "./ports.ts";
import { PushAhead, type LeavingPush, type PushAheadDeps } from "./push-ahead.ts";
import type { Answer, Failure, PackedBody } from "./transport.ts";

/** How much a push may carry, and what the one before it left to do. */
export interface PushTurn extends PushLimits {
  readonly behind: Behind;
}

/** A push whose answer is taken, and whose ops are still to be confirmed (PS32). */
export interface Unconfirmed {
  readonly plan: PushPlan;
  readonly answer: PushAnswer;
}

/** A push that was planned and packed while the one before it was under way. */
export interface Ready {
  readonly limits: PushLimits;
  readonly plan: PushPlan;
  readonly packed: PackedBody | undefined;
}

/** What goes from one push to the next, and the time that a request gets to leave. */
export interface Behind {
  unconfirmed: Unconfirmed | undefined;
  ready: Ready | undefined;
  readonly ahead: PushAhead;
  readonly leave: (signal: AbortSignal) => Promise<void>;
}

/** Nothing that goes to a next push; it is told what the time to leave is. */
export function nothingBehind(deps: PushAheadDeps, leave: Behind["leave"]): Behind {
  return { unconfirmed: undefined, ready: undefined, ahead: new PushAhead(deps), leave };
}

/**
 * Sends what the outbox holds, as far as it fits. Meanwhile the push after it is packed, and what
 * the one before it did is confirmed.
 */
export async function exchangePush(
  deps: ExchangeDeps,
  namespace: NamespaceId,
  { behind, ...limits }: PushTurn,
  signal: AbortSignal,
): Promise<Exchanged> {
  const { unconfirmed } = behind;
  behind.unconfirmed = undefined;
  const ready = takeReady(behind, limits);
  const plan = deps.store.planPush(namespace, limits, ready?.plan);
  // What was still to be confirmed waits for its echo then.
  if (plan === undefined && unconfirmed !== undefined)
    return pushed({ kind: "taken", hasMore: false });
  if (plan === undefined) return pushed({ kind: "nothing" });
  const packed = plan === ready?.plan ? ready.packed : undefined;
  const request = behind.ahead.end(plan, signal) ?? send(deps, namespace, plan, { packed, signal });
  const answer = await meanwhile(request.answer, async () => {
    if (unconfirmed === undefined && !plan.hasMore) return;
    await Promise.race([request.sent, request.answer]);
    await behind.leave(signal);
    if (signal.aborted) return;
    behind.ready = readyAfter(deps, namespace, plan, limits);
    await beginReady(behind, namespace, { request, signal });
    if (signal.aborted) return;
    if (unconfirmed !== undefined)
      deps.store.advance(namespace, unconfirmed.plan, unconfirmed.answer);
  });
  if (signal.aborted) return undefined;
  if (!answer.ok) return pushFailed(deps, namespace, plan, answer.error);
  return takeAnswer(deps, namespace, { plan, answer: answer.value }, behind);
}

function send(
  { transport }: ExchangeDeps,
  namespace: NamespaceId,
  plan: PushPlan,
  { packed, signal }: { readonly packed: PackedBody | undefined; readonly signal: AbortSignal },
): LeavingPush {
  const sent = createGate();
  const answer = transport.push(namespace, { ...plan, packed, onSent: sent.open }, signal);
  return { answer, sent: sent.passed };
}

function takeAnswer(
  deps: ExchangeDeps,
  namespace: NamespaceId,
  answered: Unconfirmed,
  behind: Behind,
): Happening {
  const taken = deps.store.takePushAnswer(namespace, answered.plan, answered.answer);
  if (taken.kind === "fork") return { kind: "fork", lane: "push", cause: taken.cause };
  const hasMore = hasUnsent(deps, namespace);
  if (taken.kind !== "advancing") return pushed({ kind: taken.kind, hasMore });
  behind.unconfirmed = answered;
  return pushed({ kind: "taken", hasMore });
}

/** Sends the next push but for its end (PS33), and lets it leave before this process is busy. */
async function beginReady(
  { ready, ahead, leave }: Behind,
  namespace: NamespaceId,
  { request, signal }: { readonly request: LeavingPush; readonly signal: AbortSignal },
): Promise<void> {
  if (ready === undefined) return;
  const begun = ahead.begin(namespace, ready.plan, ready.packed);
  // Where it wants a new token first, the answer to this push does not wait for that.
  await Promise.race([begun, request.answer]);
  await leave(signal);
}

/** What was made ready under other limits would not be all that fits, or too much. */
function takeReady(behind: Behind, limits: PushLimits): Ready | undefined {
  const { ready } = behind;
  behind.ready = undefined;
  const isOfSize = ready?.limits.ops === limits.ops && ready.limits.bytes === limits.bytes;
  return isOfSize ? ready : undefined;
}

function readyAfter(
  { store, transport }: ExchangeDeps,
  namespace: NamespaceId,
  plan: PushPlan,
  limits: PushLimits,
): Ready | undefined {
  const next = store.planPushAfter(namespace, plan, limits);
  return next === undefined ? undefined : { limits, plan: next, packed: transport.packPush(next) };
}

/** Whatever becomes of the work, the request has ended before anything else begins (EN3). */
async function meanwhile<T>(
  request: Promise<Answer<T>>,
  work: () => Promise<void>,
): Promise<Answer<T>> {
  try {
    await work();
  } finally {
    await request;
  }
  return await request;
}

function pushFailed(
  deps: ExchangeDeps,
  namespace: NamespaceId,
  plan: PushPlan,
  failure: Failure,
): Happening {
  const { code, position } = failure;
  const why = whyRefused(plan, failure);
  if (why !== undefined) {
    const { writer, after } = plan.header;
    const first = { writer, n: after + 1 };
    return pushed({ kind: "refused", code: why, ops: plan.lines.length, first });
  }
  const theirs = code === "writer-foreign" ? foreignPosition(plan) : position;
  if (theirs === undefined) return { kind: "failed", lane: "push", failure };
  const { ackedAtRequest, header } = plan;
  const taken = deps.store.takePosition(namespace, ackedAtRequest, theirs, header.writer);
  if (taken.kind === "fork") return { kind: "fork", lane: "push", cause: taken.cause };
  return pushed({ kind: "position", hasMore: hasUnsent(deps, namespace) });
}

/**
 * Why less than all of a push may be taken; undefined where no op is at fault. One that alone is too
 * large for a proxy is none for that: the proxy's limit may be another tomorrow (EN32).
 */
function whyRefused({ lines }: PushPlan, failure: Failure): "too-large" | "invalid" | undefined {
  const { code } = failure;
  // Where only the place was asked for, no op is at fault (EE11).
  if (lines.length === 0) return undefined;
  if (code === "too-large" || code === "invalid") return code;
  return lines.length > 1 && isTooLargeOnTheWay(failure) ? "too-large" : undefined;
}

function pushed(outcome: PushOutcome): Happening {
  return { kind: "push-answered", outcome };
}

// Counting what waits would read all of a long outbox after each push.
function hasUnsent({ store }: ExchangeDeps, namespace: NamespaceId): boolean {
  return store.planPush(namespace, { ops: 1, bytes: 1 }) !== undefined;
}
