import { isEncryptedId, type NamespaceId } from "../../packages/protocol/src/index.ts";
import { act } from "./actions.ts";
import { calm } from "./faults.ts";
import { memberLog } from "./member-log.ts";
import { hasKey, turnKey } from "./sealed-team.ts";
import type { SimDevice } from "./sim-device.ts";
import type { World } from "./world.ts";

/** People look every twenty seconds who waits to be let in. */
const comingInMs = 120_000;

/**
 * Parts a log in two: the server falls back to before a key turned over, and before anybody who has
 * that key is back, somebody who knows nothing of it begins an epoch of the same number. Those who had
 * run on go on with what they know (EE31).
 */
export async function partLog(world: World, restore: () => void): Promise<void> {
  const { run, server, cast, devices } = world;
  const team = cast.teams.find(isEncryptedId);
  if (team === undefined) return;
  // Two have to be there that may turn a key over, and both turns have to arrive.
  run.faults = calm;
  for (const device of devices) {
    device.isOffline = false;
    device.start();
  }
  await run.time.run(comingInMs, () => adminsOf(world, team).length > 1);
  const [unaware, aware] = adminsOf(world, team);
  if (unaware === undefined || aware === undefined) return;
  server.backUp();
  unaware.isOffline = true;
  turnKey(world, aware, team);
  await run.time.run(20_000 + run.tape.draw(20_000));
  restore();
  for (const device of devices) device.isOffline = device !== unaware;
  await run.time.run(25_000);
  turnKey(world, unaware, team);
  await run.time.run(15_000);
  for (const device of devices) device.isOffline = false;
  for (let acts = 0; acts < 3; acts += 1) {
    act(world, aware);
    await run.time.run(run.tape.draw(5_000));
  }
}

/** Devices that may turn a key over now, of which no two are one. */
function adminsOf(world: World, team: NamespaceId): readonly SimDevice[] {
  const log = memberLog(world.server, team);
  const able = world.devices.filter(
    (device) =>
      log?.isAdmin(device.identity.id) === true && device.isSyncing && hasKey(device, team),
  );
  return able.filter(
    ({ identity }, at) => able.findIndex((each) => each.identity.id === identity.id) === at,
  );
}
