/**
 * Signals that cost next to nothing. Node's own is an event target, with an error made for each that
 * is given up: a request has two, and most wait for nothing but their end. All that makes a controller
 * in this process gets one of these, so nothing but a simulation may install them.
 */
export function installInstantAborts(): void {
  globalThis.AbortController = InstantController as unknown as typeof AbortController;
}

type Listener = (event: { readonly type: "abort" }) => void;

class InstantController {
  readonly signal = new InstantSignal();

  abort(reason: unknown = given): void {
    this.signal.end(reason);
  }
}

/** Why something was given up, where nobody says: one error for all. */
const given: unknown = AbortSignal.abort().reason;

/** As much of a signal as anything asks of one. */
class InstantSignal {
  reason: unknown;
  aborted = false;
  readonly #listeners = new Set<Listener>();

  addEventListener(_type: "abort", listener: Listener): void {
    if (!this.aborted) this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Tells everybody who listens, in the order in which they came; whoever stops meanwhile is not told. */
  end(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener({ type: "abort" });
    this.#listeners.clear();
  }
}
