/** Sends all of a push but its end while the one before it is under way. */
import type { NamespaceId } from "@tidemark/protocol";
import type { PushAnswer } from "@tidemark/protocol/wire";
import type { PushPlan } from "../store/replica-store.ts";
import { createGate, linkSignals, pause, type Timers } from "./ports.ts";
import type { Slots } from "./slots.ts";
import { syncLimits } from "./sync-limits.ts";
import type { Answer, PackedBody, Transport } from "./transport.ts";

/** What a push ahead needs; `spawn` and `slots` are those of `LoopDeps`. */
export interface PushAheadDeps {
  readonly transport: Pick<Transport, "push" | "canHoldEnds">;
  readonly timers: Timers;
  readonly spawn: (work: () => Promise<void>, onFailure: () => void) => void;
  readonly slots: Pick<Slots, "isAwaited">;
}

/** A push that leaves as a whole, and when it has. */
export interface LeavingPush {
  readonly answer: Promise<Answer<PushAnswer>>;
  readonly sent: Promise<void>;
}

interface BegunPush extends LeavingPush {
  readonly plan: PushPlan;
  /** Lets its end leave; from then on it is given up with the signal. */
  readonly end: (signal: AbortSignal) => void;
  readonly abort: () => void;
  /**
   * What became of it before its end left. Put off is what a server answered that asks for patience: that
   * is this push's answer (EN5); whatever else it was answered, or broken off by, is over.
   */
  stage: "held" | "put-off" | "over";
}

/**
 * At most one push that is on its way but for its end (PS33, ADR 53). A server takes no push whose
 * end has not come: broken off before, it leaves nothing behind. So the way of its bytes, and what the
 * server reads of them, are done when the answer to the push before it is on disk.
 */
export class PushAhead {
  readonly #deps: PushAheadDeps;
  #begun: BegunPush | undefined;
  #restingPushes = 0;

  constructor(deps: PushAheadDeps) {
    this.#deps = deps;
  }

  /** Sends a push but for its end, where the network can; resolves when that goes to the network. */
  async begin(
    namespace: NamespaceId,
    plan: PushPlan,
    packed: PackedBody | undefined,
  ): Promise<void> {
    this.drop();
    if (this.#deps.transport.canHoldEnds !== true) return;
    // The next turn is another's then (EN26): by its own it would have been sent for nothing.
    if (this.#deps.slots.isAwaited()) return;
    if (this.#restingPushes > 0) {
      this.#restingPushes -= 1;
      return;
    }
    const begun = this.#send(namespace, plan, packed);
    this.#begun = begun;
    // Where it cannot be made, that is told to whoever comes for it, not to the push under way.
    await Promise.race([begun.sent, begun.answer]).catch(ignore);
  }

  /** Lets the end leave where this is the push that was begun; another is broken off. */
  end(plan: PushPlan, signal: AbortSignal): LeavingPush | undefined {
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun === undefined) return undefined;
    if (begun.plan !== plan || begun.stage === "over") {
      begun.abort();
      return undefined;
    }
    if (begun.stage === "held") begun.end(signal);
    return begun;
  }

  /** Breaks off what nobody came for. */
  drop(): void {
    this.#begun?.abort();
    this.#begun = undefined;
  }

  #send(namespace: NamespaceId, plan: PushPlan, packed: PackedBody | undefined): BegunPush {
    const { transport, spawn } = this.#deps;
    const request = linkSignals();
    const held = linkSignals(request.signal);
    const end = createGate();
    const sent = createGate();
    const push = { ...plan, packed, end: end.passed, onSent: sent.open };
    const answer = transport.push(namespace, push, request.signal);
    const begun: BegunPush = {
      plan,
      answer,
      sent: sent.passed,
      stage: "held",
      abort: request.abort,
      end: (signal) => {
        held.abort();
        signal.addEventListener("abort", request.abort, { once: true });
        const release = (): void => {
          signal.removeEventListener("abort", request.abort);
        };
        answer.then(release, release);
        end.open();
      },
    };
    const answered = (given: Answer<PushAnswer>): void => {
      const isPutOff = !given.ok && given.error.retryAfterMs !== undefined;
      begun.stage = isPutOff ? "put-off" : "over";
      held.abort();
    };
    const failed = (): void => {
      begun.stage = "over";
      held.abort();
    };
    // A run ends with nothing in flight (EN19), so the engine must know of both.
    spawn(() => answer.then(answered, failed), ignore);
    spawn(() => this.#watch(begun, held.signal), ignore);
    return begun;
  }

  /** On a slow way the two share it: the first must not wait for that until its server gives up. */
  async #watch(begun: BegunPush, held: AbortSignal): Promise<void> {
    await pause(this.#deps.timers, syncLimits.aheadHoldMsMax, held);
    if (held.aborted) return;
    this.#restingPushes = syncLimits.aheadRestPushes;
    begun.abort();
  }
}

function ignore(): void {
  // Whoever comes for the push hears of it.
}
