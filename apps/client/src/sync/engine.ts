/** Keeps all namespaces of a device in sync: one loop each, so that none waits for another. */
import { assertInvariant, fail, limits, ok, type NamespaceId } from "@tidemark/protocol";
import type { Hello, Poke } from "@tidemark/protocol/wire";
import type { Replica, ReplicaStore } from "../store/replica-store.ts";
import { failureOf } from "./engine-failure.ts";
import { checkHello } from "./hello-check.ts";
import { unreachable } from "./http/failures.ts";
import { aroundMs, backoffMs } from "./machine/backoff.ts";
import type { Report } from "./machine/effect.ts";
import type { Happening, Moment } from "./machine/event.ts";
import { isActive, isQuiet, isSpent, type Mode } from "./machine/state.ts";
import { NamespaceLoop, type LoopDeps } from "./namespace-loop.ts";
import {
  outcomeOf,
  type NamespaceOutcome,
  type NamespaceProgress,
  type SyncOutcome,
} from "./outcome.ts";
import {
  drawJitter,
  forwardClock,
  linkSignals,
  pause,
  type Clock,
  type LinkedSignal,
  type Random,
  type SyncLog,
  type Timers,
} from "./ports.ts";
import { followPokes } from "./poke-loop.ts";
import { createPokeMerge, type PokeMerge } from "./poke-merge.ts";
import { createSlots } from "./slots.ts";
import { syncLimits } from "./sync-limits.ts";
import { helloWithKeys } from "./sealed/hello-with-keys.ts";
import type { KeyExchange } from "./sealed/key-exchange.ts";
import { cancelled, type Answer, type Failure, type Transport } from "./transport.ts";

/** What the engine is made of. */
export interface EngineDeps {
  readonly store: ReplicaStore;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly log: SyncLog;
  /** The server this device was paired with; another one behind the same address gets nothing. */
  readonly serverId: string;
  /** Keeps keys of encrypted namespaces; without one nothing of those is sent or shown. */
  readonly keys?: KeyExchange | undefined;
  /** Told what the server says of itself and of this device, once that was checked. */
  readonly onHello?: (hello: Hello) => void;
  /** Told at once how each `hello` of a run ended: why it failed, or undefined (EN30). */
  readonly onHelloEnded?: ((failure: Failure | undefined) => void) | undefined;
  /** Told what a person should know. */
  readonly onReport?: (namespace: NamespaceId, report: Report) => void;
}

/** How a one-shot sync is run. */
export interface OnceOptions {
  readonly signal: AbortSignal;
  /** Told at every step; to look at all namespaces is for whoever has something to show. */
  readonly onProgress?: (look: () => readonly NamespaceProgress[]) => void;
  /** Milliseconds until it stops where it is. */
  readonly budgetMs?: number;
}

/** The sync engine. One `run` or `syncOnce` at a time. */
export class SyncEngine {
  readonly #deps: EngineDeps;
  readonly #clock: Clock;
  readonly #loops = new Map<NamespaceId, NamespaceLoop>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #slots = createSlots(syncLimits.exchangesMax);
  readonly #pokes: PokeMerge;
  #mode: Mode = "continuous";
  #isOpen = false;
  #isStreamHealthy = false;
  #limits: Readonly<Record<string, number>> = limits;
  #helloPause = new AbortController();
  #outboxPause: LinkedSignal | undefined;
  #onStep: () => void = () => undefined;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#clock = forwardClock(deps.clock);
    this.#pokes = createPokeMerge({
      timers: deps.timers,
      spawn: (work) => {
        this.#spawn(work, () => undefined);
      },
      tell: (poke) => {
        this.#poked(poke);
      },
    });
  }

  /** How each namespace stands, as `tidemark sync` tells it. */
  outcomes(): readonly NamespaceOutcome[] {
    return this.#syncable().map((replica) => {
      const loop = this.#loops.get(replica.namespace);
      return outcomeOf(replica, loop?.state.kind ?? "stopped", loop?.lastFailure);
    });
  }

  #progress(): readonly NamespaceProgress[] {
    return this.outcomes().map((outcome) => {
      const loop = this.#loops.get(outcome.namespace);
      return { ...outcome, work: loop?.work };
    });
  }

  /** Says that something was written locally; saves the wait until the engine looks by itself. */
  wake(): void {
    this.#outboxPause?.abort();
  }

  /** Syncs until the signal aborts, and returns once every request has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#open("continuous");
    let isStarted = false;
    let failures = 0;
    while (!signal.aborted) {
      const hello = await this.#guarded(() => this.#hello(signal));
      if (signal.aborted) break;
      this.#deps.onHelloEnded?.(hello.ok ? undefined : hello.error);
      if (hello.ok && !isStarted) {
        isStarted = true;
        this.#startBackground(signal);
      }
      failures = hello.ok ? 0 : failures + 1;
      const delayMs = this.#helloDelayMs(hello, failures);
      const gapMs = Math.max(syncLimits.helloGapMs, minimumMs(hello));
      await this.#pauseHello(delayMs, Math.min(gapMs, delayMs), signal);
    }
    await this.#close();
  }

  /**
   * A namespace that was denied asks for `hello` sooner, but never for one after the other, and
   * never before the server wants it (EN23).
   */
  async #pauseHello(delayMs: number, gapMs: number, signal: AbortSignal): Promise<void> {
    await pause(this.#deps.timers, gapMs, signal);
    const wakeable = linkSignals(signal, this.#helloPause.signal);
    await pause(this.#deps.timers, delayMs - gapMs, wakeable.signal);
    wakeable.release();
    this.#helloPause = new AbortController();
  }

  /** One full push and pull of everything, until nothing is left or no hope is (EN11, EN12). */
  async syncOnce(options: OnceOptions): Promise<SyncOutcome> {
    this.#open("once");
    const stop = linkSignals(options.signal);
    const { signal } = stop;
    const budgetMs = options.budgetMs ?? syncLimits.onceMsMax;
    this.#spawn(
      async () => {
        await pause(this.#deps.timers, budgetMs, signal);
        stop.abort();
      },
      () => undefined,
    );
    try {
      const hello = await this.#syncPatiently(signal, options);
      stop.abort();
      const namespaces = this.outcomes();
      const isDone = hello.ok && namespaces.every((outcome) => outcome.isDone);
      // The time that ran out is no wish of the caller's: nobody answered within it.
      const isLate = !hello.ok && hello.error.code === cancelled.code && !options.signal.aborted;
      const failure = hello.ok ? undefined : isLate ? unreachable : hello.error;
      return { isDone, failure, namespaces };
    } finally {
      // Also where the store cannot be read: the turn goes to another then (EN19).
      stop.abort();
      stop.release();
      await this.#close();
    }
  }

  #open(mode: Mode): void {
    assertInvariant(!this.#isOpen, "an engine runs once at a time");
    this.#isOpen = true;
    this.#mode = mode;
  }

  async #close(): Promise<void> {
    this.#onStep = () => undefined;
    this.#dispatchAll({ kind: "stop" });
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    this.#loops.clear();
    this.#isStreamHealthy = false;
    this.#isOpen = false;
  }

  /** Who was turned away in the middle is told why by another `hello`, and goes on if it may. */
  async #syncPatiently(signal: AbortSignal, options: OnceOptions): Promise<Answer<Hello>> {
    this.#helloPause = new AbortController();
    const hello = await this.#helloPatiently(signal);
    if (hello.ok) await this.#untilSettled(signal, options);
    if (!hello.ok || signal.aborted || !this.#isTurnedAway()) return hello;
    const again = await this.#helloPatiently(signal);
    if (again.ok) await this.#untilSettled(signal, options);
    return again;
  }

  /** Whether a namespace was denied (NS11), or this device or its version. */
  #isTurnedAway(): boolean {
    if (this.#helloPause.signal.aborted) return true;
    const kinds = new Set(Array.from(this.#loops.values(), ({ state }) => state.kind));
    return kinds.has("needs-login") || kinds.has("needs-upgrade");
  }

  async #helloPatiently(signal: AbortSignal): Promise<Answer<Hello>> {
    for (let failures = 1; ; failures += 1) {
      const hello = await this.#guarded(() => this.#hello(signal));
      if (hello.ok || signal.aborted || hello.error.family !== "retry") return hello;
      const waitMs = backoffMs(failures, this.#moment().jitter, hello.error.retryAfterMs);
      if (failures >= syncLimits.onceFailuresMax || waitMs > syncLimits.onceWaitMsMax) return hello;
      await pause(this.#deps.timers, waitMs, signal);
    }
  }

  async #untilSettled(signal: AbortSignal, { onProgress }: OnceOptions): Promise<void> {
    for (let round = 1; round <= syncLimits.onceRoundsMax && !signal.aborted; round += 1) {
      await new Promise<void>((resolve) => {
        const check = (): void => {
          if (signal.aborted || this.#isSettled()) resolve();
        };
        this.#onStep = () => {
          // Where the store cannot be read just now, nobody is told; no request fails for that.
          void this.#guarded(async () => ok(onProgress?.(() => this.#progress())));
          check();
        };
        signal.addEventListener("abort", check, { once: true });
        check();
      });
      // What was captured meanwhile goes along, as long as there is hope.
      const late = this.#syncable().filter((replica) => this.#isLate(replica));
      if (late.length === 0) return;
      for (const { namespace } of late) this.#dispatch(namespace, { kind: "local-change" });
    }
  }

  #isLate(replica: Replica): boolean {
    const state = this.#loops.get(replica.namespace)?.state;
    if (state === undefined || !isActive(state) || replica.unsent === 0) return false;
    return isQuiet(state);
  }

  #isSettled(): boolean {
    const nowMs = this.#clock.nowMs();
    return [...this.#loops.values()].every(({ state }) => isSpent(state, nowMs));
  }

  async #hello(signal: AbortSignal): Promise<Answer<Hello>> {
    const answer = await helloWithKeys(this.#deps, signal);
    if (!answer.ok || signal.aborted) return answer;
    const wrong = checkHello(answer.value, this.#deps.serverId);
    if (wrong !== undefined) {
      this.#deps.log.warn("hello-refused", { code: wrong.code });
      return fail(wrong);
    }
    this.#limits = { ...limits, ...answer.value.limits };
    const { server, namespaces = [], suspects } = answer.value;
    this.#deps.store.takeNamespaces(server.id, namespaces, suspects);
    this.#deps.onHello?.(answer.value);
    await this.#refreshKeys(signal);
    this.#matchLoops();
    return answer;
  }

  /** Before anything of an encrypted namespace is sent or shown, its log is read (EE10). */
  async #refreshKeys(signal: AbortSignal): Promise<void> {
    await this.#deps.keys?.followLinks(signal);
    for (const { namespace, status } of this.#syncable()) {
      if (status !== "active" || signal.aborted) continue;
      await this.#deps.keys?.refresh(namespace, signal);
    }
  }

  #matchLoops(): void {
    const replicas = this.#syncable();
    this.#endLoopsBut(new Set(replicas.map(({ namespace }) => namespace)));
    for (const replica of replicas) {
      const loop = this.#loops.get(replica.namespace);
      if (replica.status === "parked") loop?.dispatch({ kind: "parked" });
      else if (loop === undefined) this.#startLoop(replica.namespace);
      else if (!isActive(loop.state)) loop.dispatch({ kind: "unparked" });
      // `hello` tells heads too: one that moved without a poke is fetched before the next poll.
      else if (!replica.verified) loop.dispatch({ kind: "poke" });
    }
  }

  /** A copy that was dropped (NS27) leaves a loop behind that is parked. */
  #endLoopsBut(kept: ReadonlySet<NamespaceId>): void {
    for (const [namespace, loop] of this.#loops) {
      if (kept.has(namespace)) continue;
      loop.dispatch({ kind: "stop" });
      this.#loops.delete(namespace);
    }
  }

  #startLoop(namespace: NamespaceId): void {
    const standing = { mode: this.#mode, isStreamHealthy: this.#isStreamHealthy };
    this.#loops.set(namespace, new NamespaceLoop(this.#loopDeps(), namespace, standing));
  }

  #loopDeps(): LoopDeps {
    const { store, transport, timers, log, keys } = this.#deps;
    return {
      store,
      keys,
      transport,
      timers,
      log,
      moment: () => this.#moment(),
      slots: this.#slots,
      pushBytesMax: () => this.#limitOf("pushBytesMax"),
      pushOpsMax: () => this.#limitOf("pushOpsMax"),
      spawn: (work, onFailure) => {
        this.#spawn(work, onFailure);
      },
      attempt: (work, onFailure) => {
        this.#spawn(() => Promise.resolve(work()), onFailure);
      },
      askHello: () => {
        this.#helloPause.abort();
      },
      onReport: (namespace, report) => {
        log.warn("sync-report", { namespace, ...report });
        this.#deps.onReport?.(namespace, report);
      },
      onStep: () => {
        this.#onStep();
      },
    };
  }

  #limitOf(name: "pushBytesMax" | "pushOpsMax"): number {
    return Math.min(limits[name], Math.max(1, this.#limits[name] ?? limits[name]));
  }

  #startBackground(signal: AbortSignal): void {
    this.#spawn(
      () =>
        followPokes(
          {
            transport: this.#deps.transport,
            timers: this.#deps.timers,
            moment: () => this.#moment(),
            onHealth: (isHealthy) => {
              this.#streamChanged(isHealthy);
            },
            onPoke: (poke) => {
              this.#hear(poke, signal);
            },
            guarded: (work) => this.#guarded(work),
          },
          signal,
        ),
      () => undefined,
    );
    this.#spawn(
      () => this.#watchOutboxes(signal),
      () => undefined,
    );
  }

  #streamChanged(isHealthy: boolean): void {
    this.#isStreamHealthy = isHealthy;
    this.#dispatchAll({ kind: "stream", isHealthy });
  }

  /**
   * A push of our own is told to its sender too, at the moment of its answer; the answer says more, so
   * it goes first (EN25).
   */
  #hear(poke: Poke, signal: AbortSignal): void {
    const state = this.#loops.get(poke.namespace)?.state;
    const isSending = state !== undefined && isActive(state) && state.push.isBusy;
    this.#pokes.hear(poke, isSending, signal);
  }

  #poked({ namespace, head }: Poke): void {
    const replica = this.#deps.store.replica(namespace);
    if (replica === undefined || replica.status !== "active") {
      this.#helloPause.abort();
    } else if (head > replica.head || !replica.verified) {
      this.#dispatch(namespace, { kind: "poke" });
    }
  }

  /** Hooks and other processes write into the same store and tell nobody. */
  async #watchOutboxes(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const looked = await this.#guarded(() => Promise.resolve(ok(this.#look())));
      for (const namespace of looked.ok ? looked.value : []) {
        const state = this.#loops.get(namespace)?.state;
        if (state === undefined || !isActive(state)) continue;
        if (!state.push.isBusy && state.push.dueAtMs === undefined) {
          this.#dispatch(namespace, { kind: "local-change" });
        }
      }
      const wakeable = linkSignals(signal);
      this.#outboxPause = wakeable;
      await pause(this.#deps.timers, syncLimits.outboxPollMs, wakeable.signal);
      wakeable.release();
    }
  }

  /** Namespaces in which something waits; a link that was made just now is asked after at once. */
  #look(): readonly NamespaceId[] {
    if (this.#deps.keys?.takeNewLink() === true) this.#helloPause.abort();
    return this.#deps.store.waiting();
  }

  #helloDelayMs(hello: Answer<Hello>, failures: number): number {
    const { jitter } = this.#moment();
    const isExpecting = this.#deps.keys?.isExpecting() === true;
    if (hello.ok)
      return isExpecting ? syncLimits.expectingMs : aroundMs(syncLimits.helloMs, jitter);
    const leastMs = minimumMs(hello);
    if (hello.error.family !== "retry") {
      return Math.max(aroundMs(syncLimits.longDelayMs, jitter), leastMs);
    }
    const spreadMs = failures === 1 ? jitter * syncLimits.reconnectSpreadMs : 0;
    const hasLoops = this.#loops.size > 0;
    return backoffMs(failures, jitter, leastMs) + (hasLoops ? spreadMs : 0);
  }

  #syncable(): readonly Replica[] {
    return this.#deps.store
      .replicas()
      .filter(({ kind, status }) => kind !== "local" && status !== "unpaired");
  }

  #dispatchAll(happening: Happening): void {
    for (const loop of this.#loops.values()) loop.dispatch(happening);
  }

  #dispatch(namespace: NamespaceId, happening: Happening): void {
    this.#loops.get(namespace)?.dispatch(happening);
  }

  #moment(): Moment {
    return { nowMs: this.#clock.nowMs(), jitter: drawJitter(this.#deps.random) };
  }

  #spawn(work: () => Promise<void>, onFailure: (failure: Failure) => void): void {
    const task = this.#runTask(work, onFailure).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #runTask(work: () => Promise<void>, onFailure: (failure: Failure) => void): Promise<void> {
    const done = await this.#guarded(async () => ok(await work()));
    if (!done.ok) await this.#guarded(() => Promise.resolve(ok(onFailure(done.error))));
  }

  /** The one place where the engine catches: a broken machine or a defect becomes a failure. */
  async #guarded<T>(work: () => Promise<Answer<T>>): Promise<Answer<T>> {
    try {
      return await work();
    } catch (cause) {
      const failure = failureOf(cause);
      const name = cause instanceof Error ? cause.name : "unknown";
      this.#deps.log.warn("sync-failed", { code: failure.code, name });
      return fail(failure);
    }
  }
}

/** How long the server wants to be left alone, within what is believed. */
function minimumMs(answer: Answer<unknown>): number {
  const wantedMs = answer.ok ? 0 : (answer.error.retryAfterMs ?? 0);
  return Math.min(wantedMs, syncLimits.retryAfterMsMax);
}
