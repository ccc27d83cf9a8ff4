import { isAtLeast, type NamespaceId } from "../../packages/protocol/src/index.ts";
import { storeErrorOf } from "../../apps/client/src/store/store-error.ts";
import type { Entitlement } from "../../apps/client/src/sync/sealed/entitling.ts";
import type { Keeper } from "../../apps/client/src/sync/sealed/keeper.ts";
import type { Inspector } from "./inspector.ts";
import { memberLog } from "./member-log.ts";
import { keepLinks } from "./pairing-links.ts";
import { join } from "./people.ts";
import { recover, renewSheet, sheetOf, writeSheet } from "./recovery-sheet.ts";
import type { SimDevice } from "./sim-device.ts";
import { Gone } from "./sim-handle.ts";
import type { World } from "./world.ts";

const foundingMs = 120_000;
const lookMs = 20_000;
const patienceMs = 180_000;

/**
 * Makes a team whose values the server cannot read, as the owner's command does, and lets everybody
 * join. From then on people look now and then who waits to be let in, and do so.
 */
export async function foundSealedTeam(world: World): Promise<void> {
  const { run, server, cast } = world;
  const [owner, ...others] = cast.people;
  const founder = world.devices.find(({ identity }) => identity === owner?.devices[0]);
  if (owner === undefined || founder === undefined) throw new Error("somebody owns the server");
  const { signal } = new AbortController();
  await keepLinks(world);
  founder.start();
  let founded: Awaited<ReturnType<Keeper["create"]>> | undefined;
  void founder
    .keeper()
    .create("sealed", signal)
    .then((done) => (founded = done));
  await run.time.run(foundingMs, () => founded !== undefined);
  if (founded?.ok !== true) throw new Error(`no sealed team: ${JSON.stringify(founded)}`);
  const { id } = founded.value.info;
  writeSheet(world, id, founded.value.recoveryCode);
  cast.teams.push(id);
  world.numberOf(id);
  for (const person of others) {
    await join(server, { owner, person, namespace: id, role: run.tape.pick(["writer", "admin"]) });
  }
  run.trace(`sealed team ${id}`);
  const busy = new Map<SimDevice, number>();
  run.time.every(lookMs, () => {
    for (const device of world.devices) keepKeys(world, { device, namespace: id, busy });
  });
}

interface Turn {
  readonly device: SimDevice;
  readonly namespace: NamespaceId;
  /** Until when somebody waits for a command on a device; one whose process died says nothing. */
  readonly busy: Map<SimDevice, number>;
}

/** What a person does on a device: ask for the key, let in who waits, turn it over now and then. */
function keepKeys(world: World, turn: Turn): void {
  const { device, namespace, busy } = turn;
  const { run, server } = world;
  const id = device.identity.id;
  const log = memberLog(server, namespace);
  if (
    (busy.get(device) ?? 0) > run.time.nowMs() ||
    !device.isSyncing ||
    !world.isMember(device, namespace)
  )
    return;
  if (log === undefined) return;
  const turnsPerMille = world.extras.isTurning === true ? 300 : 40;
  const isDue = !log.isIn(id) || !hasKey(device, namespace);
  const isUnsure =
    sheetOf(world, namespace)?.isSure === false && log.isAdmin(id) && hasKey(device, namespace);
  const someoneWaits = log.isIn(id) && isSomeoneOut(world, namespace);
  const isTurn = run.faults.clientCrash > 0 && log.isIn(id) && run.tape.chance(turnsPerMille);
  const isRaise = world.extras.isRaising === true && log.isAdmin(id) && run.tape.chance(150);
  if (!isDue && !someoneWaits && !isTurn && !isRaise && !isUnsure) return;
  busy.set(device, run.time.nowMs() + patienceMs);
  const { signal } = new AbortController();
  const command = async (): Promise<void> => {
    const keeper = device.keeper();
    if (isTurn) {
      const turned = await keeper.rotate(namespace, signal);
      return run.trace(
        `${device.name} turns the key over: ${turned.ok ? "ok" : turned.error.code}`,
      );
    }
    if (isUnsure) return await renewSheet(world, device, namespace);
    if (isRaise) {
      const whom = entitlement(world, namespace);
      const done = await keeper.entitle(namespace, whom, signal);
      const told = done.ok
        ? `${done.value.changed.length} of ${done.value.devices}`
        : done.error.code;
      return run.trace(`${device.name} makes ${whom.user} ${whom.role}: ${told}`);
    }
    const look = await keeper.look(namespace, signal);
    if (!look.ok) return run.trace(`${device.name} cannot look: ${look.error.code}`);
    if (!look.value.hasKey && look.value.isIn && isLost(world, namespace)) {
      const begun = await keeper.rotate(namespace, signal);
      run.trace(`${device.name} begins anew: ${begun.ok ? "ok" : begun.error.code}`);
      return begun.ok ? undefined : await recover(world, device, namespace);
    }
    if (!look.value.isIn && isNobodyAble(world, turn))
      return await recover(world, device, namespace);
    for (const waiting of look.value.hasKey && look.value.isIn ? look.value.waiting : []) {
      const done = await keeper.admit(namespace, waiting, signal);
      run.trace(`${device.name} lets in: ${done.ok ? "ok" : done.error.code}`);
    }
  };
  void attempted(world, device, command).finally(() => busy.delete(device));
}

/**
 * Whether of all machines none that is in, under the name that it has now, could let this one in: an
 * admin's can, and one of the same person's.
 */
function isNobodyAble({ devices, server }: World, { device, namespace }: Turn): boolean {
  const log = memberLog(server, namespace);
  const { members } = server.state.namespaces.get(namespace) ?? {};
  return !devices.some((other) => {
    const { id, user } = other.identity;
    if (!hasKey(other, namespace)) return false;
    const role = members?.get(user);
    const isOwn = user === device.identity.user;
    const isRightful = isOwn ? log?.isIn(id) : log?.isAdmin(id);
    return isRightful === true && role !== undefined && isAtLeast(role, isOwn ? "writer" : "admin");
  });
}

/** A person turns a key over on a device; what comes of it is in the trace. */
export function turnKey(world: World, device: SimDevice, namespace: NamespaceId): void {
  const { signal } = new AbortController();
  void attempted(world, device, async () => {
    const turned = await device.keeper().rotate(namespace, signal);
    world.run.trace(`${device.name} turns the key over: ${turned.ok ? "ok" : turned.error.code}`);
  });
}

/** Somebody of the team, with the right that goes with their role on the server. */
function entitlement({ run, server, cast }: World, namespace: NamespaceId): Entitlement {
  const { user } = run.tape.pick(cast.people).identity;
  const role = server.state.namespaces.get(namespace)?.members.get(user);
  const isAdmin = role !== undefined && isAtLeast(role, "admin");
  return { user, role: isAdmin ? "admin" : "member" };
}

async function attempted(
  { run }: World,
  device: SimDevice,
  command: () => Promise<void>,
): Promise<void> {
  try {
    await command();
  } catch (cause) {
    // The process died, or its machine is in trouble: the person sees an error and tries again.
    const isTrouble = cause instanceof Gone || storeErrorOf(cause) !== undefined;
    if (!isTrouble) run.broken("EE10", `${device.name}: ${String(cause)}`);
    run.trace(`${device.name} failed at keys`);
  }
}

/** Whether nobody who is in has the newest key any more, as people find who ask each other. */
function isLost({ devices, server }: World, namespace: NamespaceId): boolean {
  const log = memberLog(server, namespace);
  return !devices.some(
    (device) => log?.isIn(device.identity.id) === true && hasKey(device, namespace),
  );
}

/** A process that died while it made its database leaves one without tables. */
export function isMade(inspector: Inspector): boolean {
  const made = "SELECT 1 FROM pragma_table_info('namespace_logs') WHERE name = 'entries'";
  return inspector.all(made).length > 0;
}

/** Whether a device has the newest key that it knows of. */
export function hasKey({ inspector }: SimDevice, namespace: NamespaceId): boolean {
  if (!isMade(inspector)) return false;
  const held = inspector.all(
    "SELECT namespace FROM namespace_logs JOIN namespace_keys USING (namespace, epoch)",
  );
  return held.some((row) => row["namespace"] === namespace);
}

/** Whether a member's device that has told its key is not in the log, as a person would be told. */
function isSomeoneOut(world: World, namespace: NamespaceId): boolean {
  const log = memberLog(world.server, namespace);
  return [...world.server.state.devices.values()].some(
    ({ id, user, status, sealingKey }) =>
      status === "active" &&
      sealingKey !== undefined &&
      world.server.state.namespaces.get(namespace)?.members.has(user) === true &&
      log?.isIn(id) === false,
  );
}
