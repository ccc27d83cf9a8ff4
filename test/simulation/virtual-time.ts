import { nextTick } from "node:process";

/** Calls a step back; does nothing once it ran. */
export type Cancel = () => void;

interface Step {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/**
 * The time of a simulated world. Steps run one after another in the order of their time; after each,
 * everything that it set off and that needs no time runs to its end. Nothing real is waited for, so
 * the same steps always come in the same order.
 */
export class VirtualTime {
  readonly #heap: Step[] = [];
  readonly #startMs: number;
  #nowMs: number;
  #order = 0;
  #ran = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** Milliseconds since the world began. */
  elapsedMs(): number {
    return this.#nowMs - this.#startMs;
  }

  /** How many steps ran. */
  get ran(): number {
    return this.#ran;
  }

  after(ms: number, run: () => void): Cancel {
    const atMs = this.#nowMs + Math.max(0, Math.ceil(ms));
    const step: Step = { atMs, order: this.#order, run };
    this.#order += 1;
    push(this.#heap, step);
    return () => {
      step.run = undefined;
    };
  }

  every(ms: number, run: () => void): Cancel {
    let cancel: Cancel = () => undefined;
    const again = (): void => {
      cancel = this.after(ms, () => {
        again();
        run();
      });
    };
    again();
    return () => {
      cancel();
    };
  }

  /** Resolves after `ms`, or as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const onAbort = (): void => {
        cancel();
        resolve();
      };
      const cancel = this.after(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /**
   * Lets everything run that needs no time. Node runs what is put off to a tick when all promises
   * that can go on have gone on; a turn of its event loop, which would wait for the system as well,
   * costs a twentieth of a run.
   */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => {
      nextTick(resolve);
    });
  }

  /** Runs steps until `isDone` or until `ms` have passed; tells which. */
  async run(ms: number, isDone: () => boolean = () => false): Promise<boolean> {
    const untilMs = this.#nowMs + ms;
    await this.settle();
    while (!isDone()) {
      const step = this.#heap[0];
      if (step === undefined || step.atMs > untilMs) {
        this.#nowMs = untilMs;
        return isDone();
      }
      pop(this.#heap);
      if (step.run === undefined) continue;
      const { run } = step;
      step.run = undefined;
      this.#nowMs = Math.max(this.#nowMs, step.atMs);
      this.#ran += 1;
      run();
      await this.settle();
    }
    return true;
  }
}

function isBefore(left: Step, right: Step): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}

function push(heap: Step[], step: Step): void {
  let at = heap.length;
  heap.push(step);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = stepAt(heap, above);
    if (!isBefore(step, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = step;
}

function pop(heap: Step[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let below = at * 2 + 1;
    if (below >= heap.length) break;
    const isRight =
      below + 1 < heap.length && isBefore(stepAt(heap, below + 1), stepAt(heap, below));
    if (isRight) below += 1;
    const child = stepAt(heap, below);
    if (!isBefore(child, last)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
}

function stepAt(heap: readonly Step[], at: number): Step {
  const step = heap[at];
  if (step === undefined) throw new Error("the heap has no such step");
  return step;
}
