/** The sync of one namespace of a device, a request at a time or as the engine does it. */
import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import { systemTimers } from "../../apps/client/src/platform/timers.ts";
import { seededRandom } from "../../apps/client/src/store/testing/test-store.ts";
import { SyncEngine } from "../../apps/client/src/sync/engine.ts";
import { exchangePush, nothingBehind } from "../../apps/client/src/sync/exchange-push.ts";
import { exchangeHeal, exchangePull, type Exchanged } from "../../apps/client/src/sync/exchange.ts";
import type { SyncOutcome } from "../../apps/client/src/sync/outcome.ts";
import { createSlots } from "../../apps/client/src/sync/slots.ts";
import type { Home } from "./home.ts";
import type { Held, RequestKind } from "./way.ts";

/** One request of the sync of a namespace, or a heal, which is several. */
export type Step = "push" | "pull" | "heal";

/** A step whose first request is held back. */
export interface UnderWay {
  /** The server has answered; nothing of it has arrived. */
  reaches(): Promise<void>;
  /** The answer arrives; gives what came of it. */
  arrives(): Promise<string>;
  /** The answer never arrives. */
  isLost(): Promise<string>;
}

/** How a device syncs one namespace. */
export interface Steps {
  hello(): Promise<void>;
  /** Sends what the outbox holds, at most `ops` ops; gives what came of it. */
  push(ops?: number): Promise<string>;
  /** Takes one page. */
  pull(): Promise<string>;
  heal(): Promise<string>;
  /** Starts a step and holds back its first request. */
  begin(step: Step): UnderWay;
  hold(kind: RequestKind): Held;
  /** What `tidemark sync` does: the real engine until nothing is left. */
  sync(): Promise<SyncOutcome>;
  /** What `tidemark daemon` does, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Delays of the engine pass a thousand times as fast, and still in their order. */
const fastTimers = {
  sleep: (ms: number, signal: AbortSignal) => systemTimers.sleep(ms / 1000, signal),
};

/** The steps of one namespace of a home. */
export function stepsOf(home: Home, namespace: NamespaceId): Steps {
  const { way, transport, serverId } = home.parts;
  const { signal } = new AbortController();
  const deps = () => ({ store: home.store.replicas, transport, onHealed: () => undefined });
  const slots = createSlots(1);
  const spawn = (work: () => Promise<void>): void => void work();
  const behind = nothingBehind(
    { transport, timers: systemTimers, spawn, slots },
    async () => undefined,
  );
  const turn = (ops: number) => ({ ops, bytes: 1_000_000, behind });
  const run: Record<Step, (ops?: number) => Promise<string>> = {
    push: async (ops = 500) =>
      told(home, namespace, await exchangePush(deps(), namespace, turn(ops), signal)),
    pull: async () => told(home, namespace, await exchangePull(deps(), namespace, signal)),
    heal: async () => told(home, namespace, await exchangeHeal(deps(), namespace, signal)),
  };
  return {
    ...run,
    hello: async () => {
      const hello = await transport.hello(signal);
      if (!hello.ok) throw new Error(hello.error.code);
      home.store.replicas.takeNamespaces(
        serverId,
        hello.value.namespaces ?? [],
        hello.value.suspects,
      );
    },
    hold: (kind) => way.hold(kind),
    begin: (step) => {
      const held = way.hold(step === "heal" ? "digests" : step);
      const result = run[step]();
      return {
        reaches: () => held.reaches(),
        arrives: () => {
          held.arrives();
          return result;
        },
        isLost: () => {
          held.isLost();
          return result;
        },
      };
    },
    sync: () => engineOf(home).syncOnce({ signal }),
    run: (until) => engineOf(home).run(until),
  };
}

function engineOf(home: Home): SyncEngine {
  const { parts, store, reports } = home;
  return new SyncEngine({
    store: store.replicas,
    transport: parts.transport,
    clock: parts.clock,
    random: seededRandom(parts.unique("engine")),
    timers: fastTimers,
    log: { info: () => undefined, warn: () => undefined },
    serverId: parts.serverId,
    onReport: (_, report) => {
      reports.push(report);
    },
  });
}

/** What came of a step; a refusal that asks for a heal makes one due, as in the engine. */
function told({ store }: Home, namespace: NamespaceId, exchanged: Exchanged): string {
  switch (exchanged?.kind) {
    case "push-answered":
      return exchanged.outcome.kind;
    case "pull-answered": {
      const { outcome } = exchanged;
      return outcome.kind === "taken" && outcome.hasMore ? "more" : outcome.kind;
    }
    case "heal-answered":
      return exchanged.left === 0 ? "healed" : `healed, ${String(exchanged.left)} left`;
    case "fork":
      return `fork: ${exchanged.cause}`;
    case "failed": {
      const { code, family } = exchanged.failure;
      if (family === "heal") store.replicas.demandHeal(namespace, code);
      return `failed: ${code}`;
    }
    default:
      return "nothing";
  }
}
