import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import type { Poke } from "@tidemark/protocol/wire";

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

/** Hands moved heads to the streams of this process. */
export interface PokeHub {
  /** Opens a stream; the oldest of a device that has too many ends. Undefined when all are taken. */
  open(device: DeviceId): PokeStream | undefined;
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
  /** Ends all streams and opens no more. */
  close(): void;
}

/** Streams of one device: one may be a dead connection that nobody has noticed yet. */
const streamsOfDeviceMax = 2;
/** Streams of one process. */
const streamsMax = 2_000;

class Stream implements PokeStream {
  readonly device: DeviceId;
  readonly #onEnd: (stream: Stream) => void;
  #heads: ReadonlyMap<NamespaceId, number> = new Map();
  readonly #due = new Map<NamespaceId, number>();
  #isPingDue = false;
  #isEnded = false;
  #wake: () => void = () => {};

  constructor(device: DeviceId, onEnd: (stream: Stream) => void) {
    this.device = device;
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
    [...streams].filter((stream) => stream.device === device);
  const endAll = (ending: Iterable<Stream>): void => {
    for (const stream of ending) stream.end();
  };
  return {
    open: (device) => {
      const older = ofDevice(device);
      endAll(older.slice(0, Math.max(0, older.length + 1 - streamsOfDeviceMax)));
      if (isClosed || streams.size >= streamsMax) return undefined;
      const stream = new Stream(device, (ended) => streams.delete(ended));
      streams.add(stream);
      return stream;
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
      devices: [...new Set([...streams].map(({ device }) => device))],
    }),
    close: () => {
      isClosed = true;
      endAll([...streams]);
    },
  };
}
