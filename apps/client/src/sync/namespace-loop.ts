/** Drives the machine of one namespace: runs its effects and tells it what came of them. */
import type { NamespaceId } from "@tidemark/protocol";
import { exchangeHeal, exchangePull, type Exchanged, type ExchangeDeps } from "./exchange.ts";
import { exchangePush, nothingBehind, type Behind } from "./exchange-push.ts";
import { step, startMachine } from "./machine.ts";
import type { Effect, Report } from "./machine/effect.ts";
import type { Happening, Moment } from "./machine/event.ts";
import type { LaneName } from "./machine/lane.ts";
import type { Standing, State } from "./machine/state.ts";
import type { Work } from "./outcome.ts";
import { PageAhead } from "./page-ahead.ts";
import { pause, type SyncLog, type Timers } from "./ports.ts";
import type { KeyExchange } from "./sealed/key-exchange.ts";
import type { Slots } from "./slots.ts";
import { withNewKey } from "./sealed/stale-epoch.ts";
import { syncLimits } from "./sync-limits.ts";
import type { Failure } from "./transport.ts";

/** What a loop needs of the engine. */
export interface LoopDeps extends ExchangeDeps {
  readonly timers: Timers;
  readonly log: SyncLog;
  readonly keys?: KeyExchange | undefined;
  /** The time and a chance for one event. */
  readonly moment: () => Moment;
  /** Room for the exchanges of all namespaces together (EN26). */
  readonly slots: Slots;
  /** Bytes that the server takes in one push. */
  readonly pushBytesMax: () => number;
  /** Ops that the server takes in one push. */
  readonly pushOpsMax: () => number;
  /**
   * Runs work in the background until it ends. What it throws becomes a failure, told to
   * `onFailure` unless the signal has aborted: the one place where the engine catches.
   */
  readonly spawn: (work: () => Promise<void>, onFailure: (failure: Failure) => void) => void;
  /** Runs work that does not wait, with the same care. */
  readonly attempt: (work: () => void, onFailure: (failure: Failure) => void) => void;
  readonly askHello: () => void;
  readonly onReport: (namespace: NamespaceId, report: Report) => void;
  /** Told after each event that was worked off. */
  readonly onStep: () => void;
}

/** The sync of one namespace, from its start until it is told to stop. */
export class NamespaceLoop {
  readonly namespace: NamespaceId;
  readonly #deps: LoopDeps;
  readonly #timers = new Map<LaneName, AbortController>();
  readonly #requests = new Map<LaneName, AbortController>();
  readonly #queue: Happening[] = [];
  readonly #ahead: PageAhead;
  readonly #leave: Behind["leave"];
  readonly #behind: Behind;
  #isDraining = false;
  #state: State;
  #lastFailure: Failure | undefined;
  #work: Work | undefined;

  constructor(deps: LoopDeps, namespace: NamespaceId, standing: Standing) {
    this.#deps = deps;
    this.namespace = namespace;
    this.#ahead = new PageAhead(deps.transport, deps.spawn);
    this.#leave = (until) => pause(deps.timers, syncLimits.aheadLeaveMs, until);
    this.#behind = nothingBehind(deps, this.#leave);
    const started = startMachine(standing, deps.moment());
    this.#state = started.state;
    this.#drain(started.effects);
  }

  get state(): State {
    return this.#state;
  }

  /** Why the last request failed; undefined once one has succeeded. */
  get lastFailure(): Failure | undefined {
    return this.#lastFailure;
  }

  /** How far the last pull or heal is. */
  get work(): Work | undefined {
    return this.#work;
  }

  /** Tells the machine what happened. Events that arise meanwhile wait their turn. */
  dispatch(happening: Happening): void {
    this.#queue.push(happening);
    if (this.#isDraining) return;
    this.#drain([]);
    this.#deps.onStep();
  }

  #drain(first: readonly Effect[]): void {
    this.#isDraining = true;
    try {
      for (const effect of first) this.#perform(effect);
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        this.#lastFailure = failureAfter(this.#lastFailure, next);
        const stepped = step(this.#state, { ...next, ...this.#deps.moment() });
        this.#state = stepped.state;
        for (const effect of stepped.effects) this.#perform(effect);
      }
    } finally {
      this.#isDraining = false;
    }
  }

  #perform(effect: Effect): void {
    const { namespace } = this;
    const { store, askHello, onReport } = this.#deps;
    switch (effect.kind) {
      case "send-push":
      case "send-pull":
      case "start-heal":
        return this.#send(effect);
      case "set-timer":
        return this.#setTimer(effect.lane, effect.atMs);
      case "cancel-timer":
        return abort(this.#timers, effect.lane);
      case "cancel":
        return abort(this.#requests, effect.lane);
      case "demand-heal":
        return this.#touchStore(() => {
          store.demandHeal(namespace, effect.why);
        });
      case "restamp-lamports":
        return this.#touchStore(() => {
          store.restampLamports(namespace);
        });
      case "reject-op":
        return this.#touchStore(() => {
          store.rejectOp(namespace, effect.op, effect.code);
        });
      case "ask-hello":
        return askHello();
      case "report":
        return onReport(namespace, effect.report);
    }
  }

  #touchStore(work: () => void): void {
    this.#deps.attempt(work, (failure) => {
      this.#lastFailure = failure;
    });
  }

  #setTimer(lane: LaneName, atMs: number): void {
    abort(this.#timers, lane);
    const controller = new AbortController();
    this.#timers.set(lane, controller);
    const waitMs = Math.max(0, atMs - this.#deps.moment().nowMs);
    const onFailure = (failure: Failure): void => {
      if (!controller.signal.aborted) this.dispatch({ kind: "failed", lane, failure });
    };
    this.#deps.spawn(async () => {
      await pause(this.#deps.timers, waitMs, controller.signal);
      if (controller.signal.aborted) return;
      this.dispatch({ kind: "timer", lane });
    }, onFailure);
  }

  #send(effect: Extract<Effect, { kind: "send-push" | "send-pull" | "start-heal" }>): void {
    const lane = laneByEffect[effect.kind];
    const controller = new AbortController();
    this.#requests.set(lane, controller);
    const tell = (happening: Happening): void => {
      if (!controller.signal.aborted) this.dispatch(happening);
      // The next one of its lane has begun by now, and taken what was sent ahead; else there is none.
      dropAhead();
    };
    const dropAhead = (): void => {
      if (lane === "pull") this.#ahead.drop();
      if (lane === "push") this.#behind.ahead.drop();
    };
    this.#deps.spawn(
      async () => {
        const { signal } = controller;
        const exchanged = await this.#deps.slots.run(() => this.#exchange(effect, signal), signal);
        if (exchanged !== undefined) tell(exchanged);
        else dropAhead();
      },
      (failure) => {
        tell({ kind: "failed", lane, failure });
      },
    );
  }

  async #exchange(
    effect: Extract<Effect, { kind: "send-push" | "send-pull" | "start-heal" }>,
    signal: AbortSignal,
  ): Promise<Exchanged> {
    const { namespace } = this;
    const onWork = (work: Work): void => {
      this.#work = work;
      this.#deps.onStep();
    };
    const deps = { ...this.#deps, onWork };
    switch (effect.kind) {
      case "send-push": {
        const ops = Math.min(effect.opsMax, deps.pushOpsMax());
        const bytes = deps.pushBytesMax() - syncLimits.headerBytesMax;
        const limits = { ops, bytes, behind: this.#behind };
        const pushed = await exchangePush(deps, namespace, limits, signal);
        return await withNewKey(deps, namespace, pushed, signal);
      }
      case "send-pull":
        return await exchangePull(deps, namespace, signal, {
          page: this.#ahead,
          leave: this.#leave,
        });
      case "start-heal": {
        const onHealed = (counts: object): void => {
          deps.log.info("healed", { namespace, ...counts });
        };
        return await exchangeHeal({ ...deps, onHealed }, namespace, signal);
      }
    }
  }
}

const laneByEffect = {
  "send-push": "push",
  "send-pull": "pull",
  "start-heal": "heal",
} as const satisfies Record<string, LaneName>;

function abort(controllers: Map<LaneName, AbortController>, lane: LaneName): void {
  const controller = controllers.get(lane);
  controllers.delete(lane);
  controller?.abort();
}

function failureAfter(last: Failure | undefined, happening: Happening): Failure | undefined {
  if (happening.kind === "failed") return happening.failure;
  return happening.kind.endsWith("-answered") ? undefined : last;
}
