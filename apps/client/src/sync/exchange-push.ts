/** One push of one namespace: plan, request, answer into the store, what it came to. */
import type { NamespaceId } from "@tidemark/protocol";
import type { PushAnswer } from "@tidemark/protocol/wire";
import type { PushLimits, PushPlan } from "../store/replica-store.ts";
import type { Exchanged, ExchangeDeps } from "./exchange.ts";
import { foreignPosition } from "./foreign-position.ts";
import type { Happening, PushOutcome } from "./machine/event.ts";
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
  readonly leave: (signal: AbortSignal) => Promise<void>;
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
  const sent = createSignal();
  const packed = plan === ready?.plan ? ready.packed : undefined;
  const request = deps.transport.push(namespace, { ...plan, packed, onSent: sent.give }, signal);
  const answer = await meanwhile(request, async () => {
    if (unconfirmed === undefined && !plan.hasMore) return;
    await Promise.race([sent.given, request]);
    await behind.leave(signal);
    if (signal.aborted) return;
    behind.ready = readyAfter(deps, namespace, plan, limits);
    if (unconfirmed !== undefined)
      deps.store.advance(namespace, unconfirmed.plan, unconfirmed.answer);
  });
  if (signal.aborted) return undefined;
  if (!answer.ok) return pushFailed(deps, namespace, plan, answer.error);
  return takeAnswer(deps, namespace, { plan, answer: answer.value }, behind);
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

function createSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
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
  // Where only the place was asked for, no op is at fault (EE11).
  if (plan.lines.length > 0 && (code === "too-large" || code === "invalid")) {
    const n = plan.header.after + 1;
    return pushed({ kind: "refused", code, ops: plan.lines.length, n });
  }
  const theirs = code === "writer-foreign" ? foreignPosition(plan) : position;
  if (theirs === undefined) return { kind: "failed", lane: "push", failure };
  const { ackedAtRequest, header } = plan;
  const taken = deps.store.takePosition(namespace, ackedAtRequest, theirs, header.writer);
  if (taken.kind === "fork") return { kind: "fork", lane: "push", cause: taken.cause };
  return pushed({ kind: "position", hasMore: hasUnsent(deps, namespace) });
}

function pushed(outcome: PushOutcome): Happening {
  return { kind: "push-answered", outcome };
}

// Counting what waits would read all of a long outbox after each push.
function hasUnsent({ store }: ExchangeDeps, namespace: NamespaceId): boolean {
  return store.planPush(namespace, { ops: 1, bytes: 1 }) !== undefined;
}
