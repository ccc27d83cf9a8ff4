import { fail, ok, type DeviceId, type NamespaceId, type Result } from "@tidemark/protocol";
import type { Poke } from "@tidemark/protocol/wire";
import { serverLimits } from "../../limits.ts";
import type { DeviceRow } from "../../store/accounts-port.ts";

/** What happens on a stream of pokes. */
type PokeEvent = Poke | "ping" | "end";

/** One device's stream of pokes; whoever holds it reads `next` until `end`. */
export interface PokeStream {
  /** The next event; waits for one. Heads that moved several times meanwhile come once. */
  next(): Promise<PokeEvent>;
  /** Follows exactly these namespaces; a poke with the head is due for each new one. */
  follow(heads: readonly { readonly id: NamespaceId; readonly head: number }[]): void;
  end(): void;
}

/** Whose a stream is. */
export type StreamOwner = Pick<DeviceRow, "id" | "user">;

/** Why no stream opens: the person's other devices have too many, or the process has. */
export type OpenError = "rate-limited" | "unavailable";

/** Hands moved heads to the streams of this process. */
export interface PokeHub {
  /** Opens a stream; the oldest of a device that has too many ends. */
  open(device: StreamOwner): Result<PokeStream, OpenError>;
  headMoved(namespace: NamespaceId, head: number): void;
  /** Ends the streams of a device, because it was revoked. */
  endDevice(device: DeviceId): void;
  /** Makes every stream due for a ping. */
  ping(): void;
  /** The namespaces that any stream follows, and the devices whose streams those are. */
  followed(): {
    readonly namespaces: readonly NamespaceId[];
    readonly devices: readonly DeviceId[];
  };
  /** How many streams are open. */
  count(): number;
  /** Ends all streams and opens no more. */
  close(): void;
}

const { ofDeviceMax, ofPersonMax, inAllMax } = serverLimits.pokes;

class Stream implements PokeStream {
  readonly owner: StreamOwner;
  readonly #onEnd: (stream: Stream) => void;
  #heads: ReadonlyMap<NamespaceId, number> = new Map();
  readonly #due = new Map<NamespaceId, number>();
  #isPingDue = false;
  #isEnded = false;
  #wake: () => void = () => {};

  constructor(owner: StreamOwner, onEnd: (stream: Stream) => void) {
    this.owner = owner;
    this.#onEnd = onEnd;
  }

  get namespaces(): Iterable<NamespaceId> {
    return this.#heads.keys();
  }

  async next(): Promise<PokeEvent> {
    for (;;) {
      const event = this.#take();
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  follow(heads: readonly { readonly id: NamespaceId; readonly head: number }[]): void {
    const known = this.#heads;
    this.#heads = new Map(heads.map(({ id, head }) => [id, known.get(id) ?? head]));
    for (const id of this.#due.keys()) if (!this.#heads.has(id)) this.#due.delete(id);
    for (const { id, head } of heads) if (!known.has(id)) this.#due.set(id, head);
    for (const { id, head } of heads) this.headMoved(id, head);
    this.#wake();
  }

  headMoved(namespace: NamespaceId, head: number): void {
    const known = this.#heads.get(namespace);
    if (known === undefined || head <= known) return;
    this.#heads = new Map(this.#heads).set(namespace, head);
    this.#due.set(namespace, head);
    this.#wake();
  }

  ping(): void {
    this.#isPingDue = true;
    this.#wake();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#onEnd(this);
    this.#wake();
  }

  #take(): PokeEvent | undefined {
    if (this.#isEnded) return "end";
    for (const [namespace, head] of this.#due) {
      this.#due.delete(namespace);
      return { namespace, head };
    }
    if (!this.#isPingDue) return undefined;
    this.#isPingDue = false;
    return "ping";
  }
}

/** Makes the hub of one process. */
export function createPokeHub(): PokeHub {
  const streams = new Set<Stream>();
  let isClosed = false;
  const ofDevice = (device: DeviceId): readonly Stream[] =>
    [...streams].filter(({ owner }) => owner.id === device);
  const ofPersonCount = ({ user }: StreamOwner): number =>
    [...streams].filter(({ owner }) => owner.user === user).length;
  const endAll = (ending: Iterable<Stream>): void => {
    for (const stream of ending) stream.end();
  };
  return {
    open: (device) => {
      const older = ofDevice(device.id);
      const isFull = ofPersonCount(device) >= ofPersonMax;
      // Where its person has no room left, a device that comes back takes its own place.
      const kept = isFull ? 0 : ofDeviceMax - 1;
      endAll(older.slice(0, Math.max(0, older.length - kept)));
      if (isClosed || streams.size >= inAllMax) return fail("unavailable");
      if (isFull && older.length === 0) return fail("rate-limited");
      const stream = new Stream(device, (ended) => streams.delete(ended));
      streams.add(stream);
      return ok(stream);
    },
    headMoved: (namespace, head) => {
      for (const stream of streams) stream.headMoved(namespace, head);
    },
    endDevice: (device) => {
      endAll(ofDevice(device));
    },
    ping: () => {
      for (const stream of streams) stream.ping();
    },
    followed: () => ({
      namespaces: [...new Set([...streams].flatMap(({ namespaces }) => [...namespaces]))],
      devices: [...new Set([...streams].map(({ owner }) => owner.id))],
    }),
    count: () => streams.size,
    close: () => {
      isClosed = true;
      endAll([...streams]);
    },
  };
}
