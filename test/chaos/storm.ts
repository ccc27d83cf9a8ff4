import { setTimeout as sleep } from "node:timers/promises";
import type { Tape } from "../simulation/tape.ts";
import type { DeviceRun } from "./device-process.ts";
import type { FaultProxy, ProxyMode } from "./fault-proxy.ts";
import type { FleetDevice, FleetServer } from "./fleet.ts";

/** Where a storm writes what it has done. */
export interface StormLog {
  struck(fault: string): void;
  /** Something that no fault explains. */
  odd(what: string): void;
}

/** Longest time that a drain may take, in milliseconds. */
const drainMsMax = 10_000;

/** Deals every fault of the server once or twice, in an order that the tape decides. */
export async function stormOnServer(server: FleetServer, tape: Tape, log: StormLog): Promise<void> {
  const cards = [
    "server killed",
    "server stopped and continued",
    "server stopped and continued",
    "server drained",
    "PostgreSQL killed",
    "PostgreSQL killed",
  ] as const;
  for (const card of shuffled(cards, tape)) {
    await sleep(300 + tape.draw(1_200));
    if (!server.isUp()) log.odd(`the server has ended by itself before: ${card}`);
    log.struck(card);
    await strikeServer(card, { server, tape, log });
    await server.start();
  }
}

async function strikeServer(
  card: string,
  { server, tape, log }: { server: FleetServer; tape: Tape; log: StormLog },
): Promise<void> {
  if (card === "PostgreSQL killed") {
    if (!server.killPostgres()) log.odd("there was no PostgreSQL to kill");
    await sleep(500 + tape.draw(2_000));
  } else if (card === "server stopped and continued") {
    server.signal("SIGSTOP");
    await sleep(500 + tape.draw(4_500));
    server.signal("SIGCONT");
  } else if (card === "server killed") {
    await server.kill();
    await sleep(tape.draw(1_500));
  } else {
    const { code, ms } = await server.stop();
    if (code !== 0 || ms > drainMsMax) log.odd(`a drain ends with ${String(code)} in ${ms} ms`);
  }
}

/** The daemon of a device, which comes back when it is started again. */
export interface DeviceDaemon {
  start(): void;
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it in order; gives its exit code. */
  stop(): Promise<number | null>;
}

/** A daemon that is not started yet. */
export function createDaemon(device: FleetDevice): DeviceDaemon {
  let running: DeviceRun | undefined;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    running?.kill(signal);
    const ended = await running?.ended;
    running = undefined;
    return ended?.code ?? null;
  };
  return {
    start: () => {
      running ??= device.start(["daemon"]);
    },
    kill: async () => {
      await end("SIGKILL");
    },
    signal: (signal) => {
      running?.kill(signal);
    },
    stop: async () => await end("SIGTERM"),
  };
}

/** Deals every fault of one device's daemon and network, in an order that the tape decides. */
export async function stormOnDevice(
  { device, daemon }: { readonly device: FleetDevice; readonly daemon: DeviceDaemon },
  tape: Tape,
  log: StormLog,
): Promise<void> {
  const modes: readonly ProxyMode[] = [
    { kind: "refuse" },
    { kind: "blackhole" },
    { kind: "half-open" },
    { kind: "cut", direction: "up", afterBytes: tape.draw(4_000) },
    { kind: "cut", direction: "down", afterBytes: tape.draw(1_500) },
    { kind: "delay", ms: 50 + tape.draw(450) },
    { kind: "throttle", bytesPerSecond: 1_000 + tape.draw(20_000) },
  ];
  const cards = [...modes, "kill", "kill", "stop"] as const;
  for (const card of shuffled(cards, tape)) {
    await sleep(tape.draw(1_500));
    if (card === "kill") {
      log.struck("daemon killed");
      await daemon.kill();
      await sleep(tape.draw(1_000));
      daemon.start();
    } else if (card === "stop") {
      log.struck("daemon stopped and continued");
      daemon.signal("SIGSTOP");
      await sleep(500 + tape.draw(4_500));
      daemon.signal("SIGCONT");
    } else {
      log.struck(`network: ${card.kind}`);
      await device.proxy.set(card);
      await untilMet(device.proxy, card.kind);
      await sleep(300 + tape.draw(2_000));
      await device.proxy.set({ kind: "pass" });
    }
  }
}

/** Longest wait for a request that a fault can strike, in milliseconds. */
const meetMsMax = 4_000;

async function untilMet({ met }: FaultProxy, kind: ProxyMode["kind"]): Promise<void> {
  const before = met.get(kind) ?? 0;
  if (kind === "refuse") return;
  for (let waited = 0; waited < meetMsMax && (met.get(kind) ?? 0) === before; waited += 50) {
    await sleep(50);
  }
}

function shuffled<T>(cards: readonly T[], tape: Tape): readonly T[] {
  const left = [...cards];
  return cards.flatMap(() => left.splice(tape.draw(left.length), 1));
}
