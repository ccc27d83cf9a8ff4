/** The way of one device's requests: it is counted, and may be held back or lost. */
import type { Network, NetworkRequest } from "../../apps/client/src/sync/http/network.ts";

/** What a request is for. */
export type RequestKind = "hello" | "push" | "pull" | "digests" | "heal" | "other";

/** A request that was held back: it goes on, and its answer comes, when the scenario says so. */
export interface Held {
  /** The request leaves the device, but nobody has seen it yet. */
  readonly left: Promise<void>;
  /** The server takes the request and answers; the answer is under way. */
  reaches(): Promise<void>;
  /** The answer comes in. */
  arrives(): void;
  /** The answer never comes. */
  isLost(): void;
}

/** A device's way to its server. */
export interface Way extends Network {
  /** What was sent, in order. */
  readonly sent: readonly RequestKind[];
  /** Bodies of pushes and heals, in order. */
  readonly bodies: readonly string[];
  /** Holds back the next request of a kind. */
  hold(kind: RequestKind): Held;
}

/** Makes a way; `deliver` is what the server makes of a request. */
export function createWay(deliver: (request: NetworkRequest) => Promise<Response>): Way {
  const sent: RequestKind[] = [];
  const bodies: string[] = [];
  const gates = new Map<RequestKind, Gate>();
  return {
    sent,
    bodies,
    hold: (kind) => {
      const gate = createGate();
      gates.set(kind, gate);
      return gate.held;
    },
    send: async (request) => {
      const kind = kindOf(request);
      sent.push(kind);
      const { body } = request;
      if (body !== undefined && (kind === "push" || kind === "heal")) {
        bodies.push(typeof body === "string" ? body : new TextDecoder().decode(body));
      }
      const gate = gates.get(kind);
      gates.delete(kind);
      return gate === undefined ? await deliver(request) : await gate.pass(() => deliver(request));
    },
  };
}

interface Gate {
  readonly held: Held;
  pass(deliver: () => Promise<Response>): Promise<Response>;
}

function createGate(): Gate {
  const [left, departed, answered] = [createDoor(), createDoor(), createDoor()];
  const arrived = createDoor();
  let isLost = false;
  return {
    held: {
      left: left.opened,
      reaches: async () => {
        departed.open();
        await answered.opened;
      },
      arrives: () => {
        departed.open();
        arrived.open();
      },
      isLost: () => {
        isLost = true;
        departed.open();
        arrived.open();
      },
    },
    pass: async (deliver) => {
      left.open();
      await departed.opened;
      const response = await deliver();
      const { status, headers } = response;
      const body = await response.arrayBuffer();
      answered.open();
      await arrived.opened;
      if (isLost) throw new Error("the answer was lost");
      return new Response(body.byteLength === 0 ? null : body, { status, headers });
    },
  };
}

function createDoor(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const kindByPath: readonly (readonly [string, RequestKind])[] = [
  ["/ops", "push"],
  ["/records", "pull"],
  ["/digests", "digests"],
  ["/heal", "heal"],
  ["/hello", "hello"],
];

function kindOf({ url }: NetworkRequest): RequestKind {
  const { pathname } = new URL(url);
  return kindByPath.find(([end]) => pathname.endsWith(end))?.[1] ?? "other";
}
