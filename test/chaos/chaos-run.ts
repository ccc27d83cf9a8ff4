import { setTimeout as sleep } from "node:timers/promises";
import { seededTape } from "../simulation/tape.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { brokenPromises, nothingAcknowledged } from "./oracle.ts";
import { createDaemon, stormOnDevice, stormOnServer, type StormLog } from "./storm.ts";
import { workOn, type Work } from "./work.ts";

/** What a run came to. */
export interface ChaosOutcome {
  /** Broken promises; none where all is well. */
  readonly broken: readonly string[];
  /** How often what was done, and to what end: `save ok`, `edit killed`. */
  readonly done: ReadonlyMap<string, number>;
  /** How often which fault was dealt. */
  readonly struck: ReadonlyMap<string, number>;
  /** How often the network's faults met a connection or bytes of one. */
  readonly met: ReadonlyMap<string, number>;
  /** Saves that were acknowledged. */
  readonly saved: number;
  readonly ms: number;
}

/** A run that can be given up; `clear` ends and removes everything of it. */
export interface ChaosRun {
  readonly outcome: Promise<ChaosOutcome>;
  clear(): Promise<void>;
}

const deviceNames = ["a", "b", "c"];
const workersOfEach = 2;
/** How many observations all devices know before the storm. */
const knownToAll = 6;

/** Starts a server and three devices, lets a storm of faults loose on them, heals all, and checks. */
export function startChaos(seed: number): ChaosRun {
  const fleet = createFleet(deviceNames);
  const stop = new AbortController();
  const outcome = fleet.then(async (ready) => await run(ready, seed, stop));
  outcome.catch(() => undefined);
  return {
    outcome,
    clear: async () => {
      stop.abort();
      // What could not be made has cleared itself.
      const made = await fleet.catch(() => undefined);
      await made?.clear();
    },
  };
}

async function run(fleet: Fleet, seed: number, stop: AbortController): Promise<ChaosOutcome> {
  const started = performance.now();
  const struck = new Map<string, number>();
  const work: Work = { asked: nothingAcknowledged(), records: [], done: new Map(), odd: [] };
  const log: StormLog = {
    struck: (fault) => struck.set(fault, (struck.get(fault) ?? 0) + 1),
    odd: (what) => work.odd.push(what),
  };
  let tapes = 0;
  const tape = () => seededTape(seed * 1_000 + (tapes += 1));
  await prepare(fleet, work);
  const daemons = fleet.devices.map(createDaemon);
  for (const daemon of daemons) daemon.start();
  const workers = fleet.devices.flatMap((device) =>
    Array.from({ length: workersOfEach }, async (_, at) => {
      await workOn(device, work, { tape: tape(), name: `w${at}`, stop: stop.signal });
    }),
  );
  const storms = fleet.devices.map(async (device, at) => {
    const daemon = daemons[at];
    if (daemon !== undefined) await stormOnDevice({ device, daemon }, tape(), log);
  });
  await Promise.all([...storms, stormOnServer(fleet.server, tape(), log)]);
  stop.abort();
  await Promise.all(workers);
  for (const [at, daemon] of daemons.entries()) {
    const code = await daemon.stop();
    // One that is told to stop while it starts ends by the signal, or once its time to stop is up.
    if (![0, 130, null].includes(code)) {
      log.odd(`${deviceNames[at] ?? ""}: the daemon ends with ${String(code)}`);
    }
  }
  await untilReady(fleet);
  const met = metBy(fleet);
  const broken = [...work.odd, ...(await brokenPromises(fleet.devices, work.asked))];
  const ms = performance.now() - started;
  return { broken, done: work.done, struck, met, saved: work.asked.saved.size, ms };
}

function metBy({ devices }: Fleet): ReadonlyMap<string, number> {
  const met = new Map<string, number>();
  for (const { proxy } of devices) {
    for (const [kind, count] of proxy.met) met.set(kind, (met.get(kind) ?? 0) + count);
  }
  return met;
}

async function prepare(fleet: Fleet, { asked, records }: Work): Promise<void> {
  await fleet.pairAll();
  const [first] = fleet.devices;
  if (first === undefined) return;
  for (let n = 1; n <= knownToAll; n += 1) {
    const title = `known to all ${n}`;
    const { id } = await first.json<{ readonly id: string }>("save", "--title", title);
    asked.invoked.add(title);
    asked.saved.add(title);
    records.push({ title, id, by: first.name });
  }
  for (const device of fleet.devices) await device.json("sync");
}

// A PostgreSQL that was killed last takes a moment to come back.
async function untilReady({ devices, server }: Fleet): Promise<void> {
  await server.start();
  const url = devices[0]?.proxy.url ?? "";
  for (let waited = 0; waited < 20_000; waited += 100) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await sleep(100);
  }
  throw new Error("the server is not ready again");
}

/** What was done and dealt, in lines for a person. */
export function summaryOf({ done, struck, met, saved, ms }: ChaosOutcome): string {
  const listed = (counts: ReadonlyMap<string, number>): string =>
    [...counts]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  const took = `${saved} saves acknowledged in ${(ms / 1_000).toFixed(0)} s`;
  return [took, listed(done), listed(struck), `on the way: ${listed(met)}`].join("\n  ");
}
