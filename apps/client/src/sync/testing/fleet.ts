/** Many real engines before one server that counts; time is virtual and moves in ticks. */
import { emptyDigest, fail, features, limits, ok, type NamespaceId } from "@tidemark/protocol";
import { SyncEngine } from "../engine.ts";
import { unreachable } from "../http/failures.ts";
import { pause, type Clock, type Random, type Timers } from "../ports.ts";
import { syncLimits } from "../sync-limits.ts";
import type { Answer, Failure, PokeEvent, Transport } from "../transport.ts";
import { createFakeStore } from "./fake-store.ts";
import { listedAs } from "./fake-transport.ts";

/** What the fleet is and does. */
export interface FleetOptions {
  /** Devices in all; every two of them share a namespace. */
  readonly clients: number;
  /** Mean time between two changes on one device, in milliseconds; Infinity: nobody changes anything. */
  readonly changeMs: number;
  readonly seed: number;
}

/** A fleet in its virtual time. */
export interface Fleet {
  /** Moves on; gives the requests that reached the server in each second of it. */
  advance(seconds: number): Promise<readonly number[]>;
  /** Ends every stream and refuses every request from now on, as the failure says. */
  goDown(failure?: Failure): void;
  comeBack(): void;
  /** Devices that hold an open poke stream and have nothing unsent or unseen. */
  inSync(): number;
  stop(): Promise<void>;
}

const tickMs = 50;
/** What a request takes there and back. */
const latencyMs = 100;
/** Devices start spread over this. */
const startMsMax = 120_000;
const chain = "0".repeat(64);

/** Makes a fleet whose devices start spread over two minutes. */
export function createFleet({ clients, changeMs, seed }: FleetOptions): Fleet {
  const time = createTickingTime();
  const server = createCountingServer(time);
  const roll = createDice(seed);
  const devices = Array.from({ length: clients }, (_, index) =>
    createDevice({ time, server, seed: seed * 100_003 + index }, `ns_${String(index >> 1)}`),
  );
  // One signal each: thousands of listeners on a common one would cost more than the engines.
  const stops = devices.map(() => new AbortController());
  const runs = devices.map(async (device, index) => {
    const signal = stops[index]?.signal ?? AbortSignal.abort();
    await pause(time, roll() * startMsMax, signal);
    const writing = async (): Promise<void> => {
      if (changeMs === Infinity) return;
      while (!signal.aborted) {
        await pause(time, -Math.log(1 - roll()) * changeMs, signal);
        if (!signal.aborted) device.change();
      }
    };
    await Promise.all([device.engine.run(signal), writing()]);
  });
  return {
    advance: async (seconds) => {
      const counts: number[] = [];
      for (let second = 0; second < seconds; second += 1) {
        const before = server.counted();
        await time.advance(1000);
        counts.push(server.counted() - before);
      }
      return counts;
    },
    goDown: (failure) => {
      server.goDown(failure);
    },
    comeBack: () => {
      server.comeBack();
    },
    inSync: () => devices.filter((device) => device.isInSync()).length,
    stop: async () => {
      for (const stop of stops) stop.abort();
      while (server.isBusy()) await time.advance(1000);
      await Promise.all(runs);
    },
  };
}

interface FleetTime extends Clock, Timers {
  later(ms: number): Promise<void>;
  advance(ms: number): Promise<void>;
}

function createTickingTime(): FleetTime {
  const startMs = 1_764_000_000_000;
  let nowMs = startMs;
  const wakesByTick = new Map<number, Set<() => void>>();
  const wakeAfter = (ms: number, wake: () => void): Set<() => void> => {
    const tick = Math.max(Math.ceil((nowMs + ms) / tickMs), nowMs / tickMs + 1);
    const wakes = wakesByTick.get(tick) ?? new Set();
    wakesByTick.set(tick, wakes);
    return wakes.add(wake);
  };
  return {
    nowMs: () => nowMs,
    later: (ms) =>
      new Promise<void>((resolve) => {
        wakeAfter(ms, resolve);
      }),
    sleep: (ms, signal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) {
          resolve();
          return;
        }
        const wake = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        };
        const wakes = wakeAfter(ms, wake);
        // Resolved, not rejected: an error a second and device costs more than the engines.
        const onAbort = (): void => {
          wakes.delete(wake);
          resolve();
        };
        signal.addEventListener("abort", onAbort, { once: true });
      }),
    advance: async (ms) => {
      for (const endMs = nowMs + ms; nowMs < endMs;) {
        nowMs += tickMs;
        const wakes = wakesByTick.get(nowMs / tickMs);
        if (wakes === undefined) continue;
        wakesByTick.delete(nowMs / tickMs);
        for (const wake of wakes) wake();
        // Nothing here leaves the process, so one turn of the event loop is enough.
        await new Promise<void>((resolve) => {
          setImmediate(resolve);
        });
      }
    },
  };
}

interface CountingServer {
  transport(namespace: NamespaceId): Transport & { readonly isOpen: () => boolean };
  head(namespace: NamespaceId): number;
  counted(): number;
  isBusy(): boolean;
  goDown(failure?: Failure): void;
  comeBack(): void;
}

function createCountingServer(time: FleetTime): CountingServer {
  let down: Failure | undefined;
  let requests = 0;
  let inFlight = 0;
  const heads = new Map<NamespaceId, number>();
  const streams = new Map<NamespaceId, Set<(event: PokeEvent) => void>>();
  const headOf = (namespace: NamespaceId): number => heads.get(namespace) ?? 0;
  const infoOf = (namespace: NamespaceId): { head: number; mark: string; lamport: number } => ({
    head: headOf(namespace),
    mark: "m",
    lamport: 1,
  });
  const answer = async <T>(good: () => T): Promise<Answer<T>> => {
    if (down === undefined) requests += 1;
    const refused = down;
    inFlight += 1;
    await time.later(latencyMs);
    inFlight -= 1;
    return refused === undefined ? ok(good()) : fail(refused);
  };
  const nothing = (): Promise<Answer<never>> => Promise.resolve(fail(unreachable));
  const position = { acked: 0, chain, since: 0, results: [] };
  const send = (to: Iterable<(event: PokeEvent) => void>, event: PokeEvent): void => {
    for (const tell of to) tell(event);
  };
  return {
    head: headOf,
    counted: () => requests,
    isBusy: () => inFlight > 0,
    goDown: (failure = unreachable) => {
      down = failure;
      for (const open of streams.values()) send(open, { kind: "closed", failure: unreachable });
      streams.clear();
    },
    comeBack: () => {
      down = undefined;
    },
    transport: (mine) => {
      let isOpen = false;
      return {
        isOpen: () => isOpen,
        hello: () =>
          answer(() => ({
            protocol: { version: 1, oldest: 1 },
            features,
            server: { id: "srv", time: 0, version: "0" },
            limits,
            namespaces: [{ ...listedAs(mine), head: headOf(mine) }],
          })),
        packPush: () => undefined,
        push: (namespace, { lines }) =>
          answer(() => {
            heads.set(namespace, headOf(namespace) + lines.length);
            const poke = { namespace, head: headOf(namespace) };
            send(streams.get(namespace) ?? [], { kind: "poke", poke });
            return { ...infoOf(namespace), position, results: [] };
          }),
        pull: (namespace) => {
          const tail = { more: false, digest: emptyDigest, count: 0, position, writers: [] };
          return answer(() => ({
            records: [],
            tail: { ...infoOf(namespace), ...tail, cursor: "c" },
          }));
        },
        digests: nothing,
        bucket: nothing,
        heal: nothing,
        revisions: nothing,
        pokes: async function* (signal) {
          const opened = await answer(() => undefined);
          if (!opened.ok) {
            yield { kind: "closed", failure: opened.error };
            return;
          }
          const events: PokeEvent[] = [{ kind: "open" }];
          let wake = (): void => undefined;
          const tell = (event: PokeEvent): void => {
            events.push(event);
            wake();
          };
          const open = streams.get(mine) ?? new Set();
          streams.set(mine, open.add(tell));
          isOpen = true;
          signal.addEventListener("abort", () => wake(), { once: true });
          while (!signal.aborted) {
            const event = events.shift();
            if (event === undefined) {
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
            } else {
              yield event;
              if (event.kind === "closed") break;
            }
          }
          isOpen = false;
          open.delete(tell);
        },
      };
    },
  };
}

interface FleetDevice {
  readonly engine: SyncEngine;
  change(): void;
  isInSync(): boolean;
}

function createDevice(
  {
    time,
    server,
    seed,
  }: { readonly time: FleetTime; readonly server: CountingServer; readonly seed: number },
  name: string,
): FleetDevice {
  const store = createFakeStore();
  const namespace = store.add(name);
  const transport = server.transport(namespace);
  const takePage = store.takePage.bind(store);
  store.takePage = (...given) => {
    const taken = takePage(...given);
    // The calls of a thousand stores are nobody's to read.
    store.calls.length = 0;
    return taken;
  };
  const roll = createDice(seed);
  const random: Random = {
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(roll() * 256)),
  };
  const engine = new SyncEngine({
    store,
    transport,
    clock: time,
    random,
    timers: {
      // Nobody writes behind the engine's back here, and every change wakes it: it may look rarely.
      sleep: (ms, signal) => time.sleep(ms === syncLimits.outboxPollMs ? 60_000 : ms, signal),
    },
    log: { info: () => undefined, warn: () => undefined },
    serverId: "srv",
  });
  return {
    engine,
    change: () => {
      const unsent = (store.replica(namespace)?.unsent ?? 0) + 1;
      store.change(namespace, { unsent, verified: false });
      engine.wake();
    },
    isInSync: () => {
      const replica = store.replica(namespace);
      if (replica === undefined || replica.unsent + replica.unverified > 0) return false;
      return transport.isOpen() && replica.head === server.head(namespace);
    },
  };
}

/** The same numbers for the same seed (mulberry32). */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
