import { createRequire } from "node:module";
import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import { holdingsOf, serverHoldings } from "./inventory.ts";
import { checkOwnWrites } from "./own-writes.ts";
import { partLog } from "./parted-log.ts";
import { firstDevice, join, type Cast } from "./people.ts";
import { bringBack, comeOrGo, revoke } from "./returning.ts";
import type { Phase, Stage } from "./sim-handle.ts";
import type { SimDevice } from "./sim-device.ts";
import type { Tape } from "./tape.ts";
import type { World } from "./world.ts";
import { strike, strikes } from "./world-state.ts";

const dayMs = 86_400_000;
const yearMs = 365 * dayMs;
/** By then all that was to start soon has. */
const dozeMs = 600_000;
const stages: readonly (Stage | "any")[] = ["any", "begin", "statement", "commit", "committed"];
const first: readonly (Phase | "any")[] = ["any", "pull", "push", "hello", "pull", "hello"];
/** Pushes are short, and few where little is written. */
const later: readonly Phase[] = ["push", "push"];
const phases = [...first, ...later];
/** Where something is set back or copied, there is something to heal. */
const phasesOfHeals = [...first, "heal", "heal", "heal", "heal", ...later] as const;

/** Lets those faults strike that belong to the world and not to one request. */
export async function stormStep(world: World): Promise<void> {
  const { run, server } = world;
  const device = run.tape.pick(world.devices);
  checkOwnWrites(world, device);
  const before = disasters(world);
  for (const each of world.devices) setTraps(world, each);
  if (strikes(run, "clockJump")) {
    device.skewMs = (run.tape.draw(21) - 10) * yearMs + run.tape.draw(3) * 3_600_000;
  }
  if (strikes(run, "isolation")) isolate(world, device);
  if (strikes(run, "longPause")) device.kill();
  if (strikes(run, "indexDamage")) damageIndex(world, device);
  if (world.extras.isLosingKeys === true && run.tape.chance(150)) loseKeys(device);
  if (strikes(run, "serverRestart")) server.restartAll(1_000 + run.tape.draw(60_000));
  // A copy that nothing will be set back to is not made.
  const { serverBackup, serverRestore, homeBackup, homeRestore } = run.faults;
  if (run.tape.chance(serverBackup) && serverRestore > 0) server.backUp();
  if (run.tape.chance(homeBackup) && homeRestore > 0) device.keepCopy();
  if (strikes(run, "memberChange")) await changeMembers(world);
  if (strikes(run, "deviceRevoked")) revoke(world, device);
  if (server.hasBackup && strikes(run, "serverRestore")) {
    restoreServer(world);
    // Who does not hear of it goes on, unaware of what only others have now.
    if (run.tape.chance(400)) isolate(world, run.tape.pick(world.devices));
  }
  if (device.hasCopy && strikes(run, "homeRestore")) {
    disaster(world, () => {
      device.restoreCopy();
    });
    run.time.after(run.tape.draw(10_000), () => {
      device.start();
    });
  }
  if (world.devices.length < 6 && strikes(run, "homeClone")) world.clone(device);
  // Devices notice by their next pull; what goes wrong in a heal has to have its time.
  if (disasters(world) > before) {
    trapHeals(world);
    await run.time.run(run.tape.draw(120_000));
  }
  // A machine that was off comes back some time.
  if (run.tape.chance(100)) for (const each of world.devices) each.start();
  if (world.extras.isFull === true) changeRoom(world);
  if (world.extras.isDeleting === true) await deleteOrRestore(world);
  if (maySleep(world) && run.tape.chance(100)) await sleepLong(world);
  if (world.extras.isReturning === true) await comeOrGo(world);
  // A standby lacks what came last.
  if (world.extras.isFailover === true && serverRestore > 0) server.backUp();
}

/** The last step of a storm: what is lost then is found out, or not, while the faults end. */
export async function lastStep(world: World): Promise<void> {
  const { run, server, extras } = world;
  if (extras.isFailover === true && server.hasBackup && run.tape.chance(300)) {
    strike(run, "serverRestore");
    restoreServer(world);
    await run.time.run(run.tape.draw(20_000));
  }
  server.setQuota();
  if (extras.isDeleting === true) await restoreTeams(world);
  if (extras.isParting === true) {
    await partLog(world, () => {
      strike(run, "serverRestore");
      restoreServer(world);
    });
  }
  if (extras.isReturning === true) await bringBack(world);
}

function restoreServer(world: World): void {
  disaster(world, () => {
    world.server.restore(1_000 + world.run.tape.draw(20_000));
  });
}

function setTraps({ run }: World, device: SimDevice): void {
  const isWriter = run.tape.draw(4) === 3;
  for (const [fault, kind] of [
    ["clientCrash", "crash"],
    ["databaseBusy", "busy"],
    ["diskFull", "full"],
  ] as const) {
    if (!strikes(run, fault)) continue;
    // A person's next command meets it; the storm's own reading does not.
    const handle = isWriter ? device.writer() : device.daemon();
    const stage = kind === "crash" ? run.tape.pick(stages) : fullOrBusy(run.tape, kind);
    handle?.set({
      kind,
      phase: isWriter ? "any" : run.tape.pick(mayHeal(run) ? phasesOfHeals : phases),
      stage,
      left: leftOf(run.tape, stage),
    });
  }
}

function trapHeals({ run, devices }: World): void {
  if (run.faults.clientCrash === 0) return;
  for (const device of devices) {
    if (!run.tape.chance(300)) continue;
    const stage = run.tape.pick(stages);
    device.daemon()?.set({ kind: "crash", phase: "heal", stage, left: leftOf(run.tape, stage) });
  }
}

/** Of begin and commit a phase has one each time, and some phases do not come often. */
function leftOf(tape: Tape, stage: Stage | "any"): number {
  return 1 + (stage === "any" || stage === "statement" ? tape.draw(8) : 0);
}

function disasters({ run }: World): number {
  const kinds = ["serverRestore", "homeRestore", "homeClone"] as const;
  return kinds.reduce((sum, kind) => sum + (run.struck.get(kind) ?? 0), 0);
}

function mayHeal({ faults }: World["run"]): boolean {
  return faults.serverRestore + faults.homeRestore + faults.homeClone > 0;
}

/** A full disk shows in any write, at the latest in the commit. */
function fullOrBusy(tape: Tape, kind: "busy" | "full"): Stage | "any" {
  return kind === "full" ? tape.pick(["any", "commit"] as const) : "any";
}

function isolate({ run }: World, device: SimDevice): void {
  device.isOffline = true;
  run.time.after(5_000 + run.tape.draw(300_000), () => {
    device.isOffline = false;
  });
}

interface Executor {
  exec(sql: string): void;
  prepare(sql: string): { get(): unknown };
  /** Lets the tables behind the index be written to. */
  unsafeMode(isOn: boolean): void;
  close(): void;
}

const Sqlite = createRequire(
  createRequire(import.meta.url).resolve("../../apps/client/package.json"),
)("better-sqlite3") as new (path: string) => Executor;

/**
 * The page with the keys goes. What repairs the database starts new writers at once (ST15) and makes the
 * projection anew, of which nothing may show what does not open any more.
 */
function loseKeys(device: SimDevice): void {
  device.kill();
  const db = new Sqlite(device.path);
  try {
    const isMigrated = db
      .prepare("SELECT 1 FROM sqlite_master WHERE name = 'namespace_keys'")
      .get();
    if (isMigrated === undefined) return;
    db.exec("DELETE FROM namespace_keys");
  } finally {
    db.close();
  }
  device.disarm();
  const { replicas, store } = device.writer();
  replicas.renewWriters();
  store.upkeep.rebuildSearch();
}

/**
 * Breaks the search index, as a bad sector would: its leaves, which few meet, or what says where they
 * are, which every write meets. Which of them hangs on the clock and not on the tape, so that kept
 * tapes stay what they are.
 */
function damageIndex({ run }: World, device: SimDevice): void {
  const rows = run.time.nowMs() % 2 === 0 ? "> 10" : ">= 10";
  const db = new Sqlite(device.path);
  try {
    db.unsafeMode(true);
    const isMigrated = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'search_data'").get();
    if (isMigrated !== undefined) db.exec("UPDATE search_data SET block = x'00' WHERE id " + rows);
  } finally {
    db.close();
  }
}

/** Whatever only the lost copies held is gone, and nobody is to blame. */
function disaster(world: World, strike: () => void): void {
  for (const device of world.devices) checkOwnWrites(world, device);
  const before = everythingHeld(world);
  strike();
  // What a write under way has put down is there, and may yet be taken back.
  world.server.whenSettled(() => {
    const lost = world.oracle.destroyed(before, everythingHeld(world));
    world.run.trace(`destroyed ${lost}`);
  });
}

function everythingHeld(world: World): ReadonlySet<string> {
  const held = new Set(serverHoldings(world.server.state));
  for (const device of world.devices) {
    const { confirmed, waiting, dead } = holdingsOf(device, world.personalOf(device));
    for (const each of [confirmed, waiting, dead]) for (const word of each) held.add(word);
  }
  return held;
}

async function changeMembers(world: World): Promise<void> {
  const { run, server, cast } = world;
  const team = teamOf(cast, run.tape.draw(cast.teams.length || 1));
  const [owner, ...others] = cast.people;
  if (team === undefined || owner === undefined || others.length === 0) return;
  const person = run.tape.pick(others);
  const actor = { device: firstDevice(owner).id, namespace: team };
  const isMember = server.state.namespaces.get(team)?.members.has(person.identity.user) === true;
  const role = run.tape.pick(["writer", "reader", "admin"] as const);
  if (!isMember) await join(server, { owner, person, namespace: team, role });
  else if (run.tape.chance(400)) await server.accounts.removeMember(actor, person.identity.user);
  else await server.accounts.setRole(actor, person.identity.user, role);
  run.trace(`members of ${team} change`);
}

/** An operator makes room scarce, or plenty again. */
function changeRoom({ run, server }: World): void {
  if (!run.tape.chance(600)) return;
  const room = run.tape.pick([{}, { recordsMax: 1 }, { bytesMax: 300 }, { deviceOpsMax: 1 }]);
  server.setQuota(room);
  run.trace(`room ${JSON.stringify(room)}`);
}

/** A server keeps what was written over for 365 days (MK3); what is looked for later is gone by right. */
function maySleep({ run, extras }: World): boolean {
  return extras.isSleeping === true && run.time.elapsedMs() < 200 * dayMs;
}

/** Marks are thinned after thirty days (MK3), tokens and keys that sign them are long over. */
async function sleepLong({ run, server, devices }: World): Promise<void> {
  const ms = run.tape.pick([3, 40, 40, 100]) * dayMs;
  run.trace(`all sleep for ${ms}`);
  const off = (): void => {
    for (const device of devices) device.kill();
  };
  off();
  // Some were about to come back.
  await run.time.run(dozeMs);
  off();
  server.restartAll(ms - dozeMs);
  await run.time.run(ms - dozeMs);
  await server.retain();
  for (const device of devices) device.start();
}

async function deleteOrRestore(world: World): Promise<void> {
  const { run, server, cast } = world;
  if (!run.tape.chance(250)) return;
  const team = teamOf(cast, run.tape.draw(cast.teams.length || 1));
  const [owner] = cast.people;
  if (team === undefined || owner === undefined) return;
  if (server.state.namespaces.get(team)?.deleted !== undefined) {
    await restoreTeam(world, team);
    return;
  }
  const done = await server.accounts.deleteNamespace({
    device: firstDevice(owner).id,
    namespace: team,
  });
  run.trace(`${team} is deleted: ${done.ok}`);
}

async function restoreTeams(world: World): Promise<void> {
  for (const team of world.cast.teams) await restoreTeam(world, team);
}

/** Brings a team back where it is deleted: for thirty days nothing of it is lost (NS22). */
async function restoreTeam({ run, server, cast }: World, team: NamespaceId): Promise<void> {
  const [owner] = cast.people;
  const found = server.state.namespaces.get(team);
  if (owner === undefined || found?.deleted === undefined) return;
  const members = new Map(found.deleted.members);
  const actor = { device: firstDevice(owner).id, namespace: team };
  const done = await server.accounts.restoreNamespace(actor);
  run.trace(`${team} is brought back: ${done.ok}`);
  const isSame = [...members].every(([user, role]) => found.members.get(user) === role);
  if (!done.ok || !isSame) run.broken("NS22", `${team} did not come back as it was`);
}

function teamOf(cast: Cast, index: number): NamespaceId | undefined {
  return cast.teams[index];
}
