/** Asks for the next page while the one before it is taken in: neither side waits for the other. */
import type { NamespaceId } from "@tidemark/protocol";
import type { PullPlan } from "../store/replica-store.ts";
import { linkSignals, type LinkedSignal } from "./ports.ts";
import type { Answer, PullAnswer, Transport } from "./transport.ts";

/** What starts work of the engine; see `LoopDeps`. */
type Spawn = (work: () => Promise<void>, onFailure: () => void) => void;

/** A page that was asked for, and what was said when it was. */
export interface AskedPage {
  readonly plan: PullPlan;
  readonly answer: Promise<Answer<PullAnswer>>;
  /** The place of the last record before it: every record of it comes after that one. */
  readonly aboveSeq: number;
  /** Gives it up. */
  readonly abort: () => void;
}

/** Where a page begins, and how much there is from there on. */
interface PlaceAhead extends Pick<AskedPage, "aboveSeq"> {
  readonly rest: number;
}

/** At most one page that was asked for ahead of its turn. */
export class PageAhead {
  readonly #transport: Pick<Transport, "pull">;
  readonly #spawn: Spawn;
  #asked: AskedPage | undefined;

  constructor(transport: Pick<Transport, "pull">, spawn: Spawn) {
    this.#transport = transport;
    this.#spawn = spawn;
  }

  /**
   * Asks for a page; its answer is judged by what `plan` says of this moment (CH3).
   *
   * @param rest about how many records are still to come
   */
  ask(namespace: NamespaceId, plan: PullPlan, { aboveSeq, rest }: PlaceAhead): void {
    this.drop();
    const request: LinkedSignal = linkSignals();
    const answer = this.#transport.pull(namespace, { ...plan, restAhead: rest }, request.signal);
    const ended = answer.then(
      () => undefined,
      () => undefined,
    );
    // A run ends with nothing in flight (EN19), so the engine must know of it.
    this.#spawn(
      () => ended,
      () => undefined,
    );
    const abort = (): void => {
      request.abort();
    };
    this.#asked = { plan, answer, aboveSeq, abort };
  }

  /** The page that was asked for, where it is the one that is wanted now; another is given up. */
  take(wanted: PullPlan): AskedPage | undefined {
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked === undefined) return undefined;
    const { after, writer } = asked.plan;
    if (after === wanted.after && writer === wanted.writer) return asked;
    asked.abort();
    return undefined;
  }

  /** Gives up what nobody came for. */
  drop(): void {
    this.#asked?.abort();
    this.#asked = undefined;
  }
}
