import { hash } from "node:crypto";
import { mkdtempSync, rmSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { act } from "./actions.ts";
import { checkWorld, isQuiet, unrest } from "./checks.ts";
import type { Extras } from "./extras.ts";
import { calm, drawFaults, type FaultKind } from "./faults.ts";
import { forgetSeals } from "./glass.ts";
import { installInstantAborts } from "./instant-abort.ts";
import { installInstantBase64 } from "./instant-base64.ts";
import { installInstantCrypto } from "./instant-crypto.ts";
import { installInstantResponses } from "./instant-response.ts";
import { foundSealedTeam } from "./sealed-team.ts";
import { Shelf } from "./shelf.ts";
import { SimHandle } from "./sim-handle.ts";
import { lastStep, stormStep } from "./storm.ts";
import { playedTape, seededBytes, type Tape } from "./tape.ts";
import { VirtualTime } from "./virtual-time.ts";
import { actionCounts, longTimes, pacesMs } from "./world-mix.ts";
import { createWorld, type World } from "./world.ts";
import { strikes, type Run } from "./world-state.ts";

/** What came of one run. */
export interface Outcome {
  readonly seed: number;
  /** Undefined: every promise held. */
  readonly failure: { readonly rule: string; readonly what: string } | undefined;
  /** Hash of all that happened; two runs of one tape have the same. */
  readonly trace: string;
  readonly tape: readonly number[];
  readonly struck: ReadonlyMap<FaultKind, number>;
  readonly crashPoints: ReadonlyMap<string, number>;
  readonly heals: number;
  /** Steps of virtual time. */
  readonly steps: number;
}

/** How a run is made. */
export interface TrialOptions {
  readonly seed: number;
  readonly tape: Tape;
  readonly extras?: Extras | undefined;
  /** Told of every line of the trace, for a person who looks for what went wrong. */
  readonly onTrace?: (line: string) => void;
}

const startMs = 1_790_000_000_000;
/** Longest time, in virtual milliseconds, until a healed world is quiet: heals may rest an hour. */
const quietMsMax = 4 * 3_600_000;

/** Runs one world from its first pairing through a storm to quiet, and checks it. */
export async function runTrial({
  seed,
  tape,
  extras = {},
  onTrace,
}: TrialOptions): Promise<Outcome> {
  installInstantCrypto();
  installInstantResponses();
  installInstantAborts();
  installInstantBase64();
  // Within a world nothing lets the process hear what it is told, or clear away what is over.
  await setImmediate();
  const shelf = sharedShelf();
  const lines: string[] = [];
  const time = new VirtualTime(startMs);
  let failure: Outcome["failure"];
  // What the engines still say when they are torn down belongs to no run.
  let isOver = false;
  const run: Run = {
    tape,
    time,
    faults: calm,
    struck: new Map(),
    crashPoints: new Map(),
    healReasons: new Set(),
    isCrowded: false,
    trace: (line) => {
      if (isOver) return;
      const full = `${time.elapsedMs()} ${line}\n`;
      lines.push(full);
      onTrace?.(full);
    },
    broken: (rule, what) => {
      run.trace(`BROKEN ${rule} ${what}`);
      failure ??= { rule, what };
    },
  };
  let world: World | undefined;
  try {
    world = await createWorld({ run, seed, shelf, extras });
    if (extras.isSealed === true) await foundSealedTeam(world);
    await storm(world);
    await settle(world);
    if (failure === undefined) checkWorld(world);
  } catch (cause) {
    failure ??= {
      rule: "threw",
      what: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
    };
  } finally {
    isOver = true;
    for (const device of world?.devices ?? []) device.kill();
    world?.server.close();
    shelf.clear();
    forgetSeals();
  }
  return {
    seed,
    failure,
    trace: hash("sha256", lines.join(""), "hex"),
    tape: tape.drawn,
    struck: run.struck,
    crashPoints: run.crashPoints,
    heals: world?.heals.count ?? 0,
    steps: time.ran,
  };
}

async function storm(world: World): Promise<void> {
  const { run } = world;
  run.faults = drawFaults(run.tape);
  run.isCrowded = run.tape.chance(250);
  for (const device of world.devices) {
    device.isBehind = strikes(run, "olderClient");
    if (run.tape.chance(250))
      device.start({ kind: "crash", phase: "migrate", stage: "any", left: 1 + run.tape.draw(40) });
    else device.start();
  }
  const actions = run.tape.pick(actionCounts) * (world.extras.isLong === true ? longTimes : 1);
  const paceMs = run.tape.pick(pacesMs);
  for (let done = 0; done < actions; done += 1) {
    act(world, run.tape.pick(world.devices));
    await stormStep(world);
    await run.time.run(run.tape.draw(paceMs * 2));
  }
  await lastStep(world);
}

/** Faults end, everybody comes back, and the world has time to agree. */
async function settle(world: World): Promise<void> {
  const { run } = world;
  run.faults = calm;
  run.trace("calm");
  const isRestarted = run.tape.draw(4) === 0;
  for (const device of world.devices) {
    device.isOffline = false;
    device.skewMs = run.tape.draw(4) === 3 ? device.skewMs : 0;
    if (isRestarted) device.kill();
    device.disarm();
    device.start();
  }
  const keepAlive = run.time.every(30_000, () => {
    for (const device of world.devices) device.start();
  });
  if (run.tape.chance(250)) world.addFresh();
  let checked = -1;
  const isDone = await run.time.run(quietMsMax, () => {
    // Looking at every store after every step would take longer than the steps.
    if (run.time.ran - checked < 15) return false;
    checked = run.time.ran;
    return isQuiet(world);
  });
  keepAlive();
  if (!isDone)
    run.broken(
      "EN10",
      `not quiet: ${world.devices.flatMap((each) => [...unrest(world, each)]).join("; ")}`,
    );
}

let made: Shelf | undefined;

/** The databases of this process, in memory where there is some for files. */
function sharedShelf(): Shelf {
  if (made !== undefined) return made;
  const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const folder = mkdtempSync(join(base, "tidemark-simulation-"));
  const template = join(folder, "template.db");
  const time = new VirtualTime(startMs);
  const run: Run = {
    tape: playedTape([]),
    time,
    faults: calm,
    struck: new Map(),
    crashPoints: new Map(),
    healReasons: new Set(),
    isCrowded: false,
    trace: () => undefined,
    broken: () => undefined,
  };
  new SimHandle(run, {
    name: "template",
    path: template,
    random: seededBytes(1, 3),
    clock: time,
    identity: { device: { id: "dev_none", name: "none" } },
    onCrash: () => undefined,
  }).kill();
  process.on("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  made = new Shelf(folder, template);
  return made;
}
