/** Devices that are shut out, or whose server knows them no more, and that pair again (CL26, CL52). */
import { firstDevice, letIn, type Person } from "./people.ts";
import type { SimDevice } from "./sim-device.ts";
import type { World } from "./world.ts";
import { strike } from "./world-state.ts";

/** Never the device that acts for its person: somebody has to be left to say so. */
export function revoke({ run, server, cast }: World, device: SimDevice): void {
  const person = personOf(cast.people, device);
  if (person === undefined || firstDevice(person).id === device.identity.id) return;
  // It is out at once. The answer waits for pushes that are under way, and those for the clock, which
  // stands still as long as the storm is waited for.
  void server.accounts.revokeDevice({
    asking: firstDevice(person).id,
    id: device.identity.id,
    isForced: true,
  });
  run.trace(`${device.name} is revoked`);
}

/** Shuts a device out, or has one pair again: one that was, or one that lost its name. */
export async function comeOrGo(world: World): Promise<void> {
  const { run } = world;
  if (!run.tape.chance(300)) return;
  const device = run.tape.pick(world.devices);
  if (standingOf(world, device) === "active" && run.tape.chance(600)) {
    strike(run, "deviceRevoked");
    revoke(world, device);
  } else await pairAgain(world, device);
}

/** Has everybody pair again who is out. */
export async function bringBack(world: World): Promise<void> {
  for (const device of world.devices) {
    if (standingOf(world, device) !== "active") await pairAgain(world, device);
  }
}

/**
 * Pairs a home again: under a new name, and under a new key but where the server knows neither, as
 * when it was set back to before the device came.
 */
async function pairAgain(world: World, device: SimDevice): Promise<void> {
  const { run, server, cast } = world;
  const person = personOf(cast.people, device);
  if (person === undefined) return;
  const isUnknown = standingOf(world, device) === undefined;
  const isKeyKnown = [...server.state.devices.values()].some(
    ({ thumbprint }) => thumbprint === device.identity.key.thumbprint,
  );
  const identity = device.nextIdentity({ hasNewKey: !isUnknown || isKeyKnown });
  await letIn(server, { by: firstDevice(person), device: identity });
  device.pairAs(identity, { isCutOff: run.tape.chance(200) });
  run.trace(`${device.name} pairs again`);
  run.time.after(run.tape.draw(30_000), () => {
    device.start();
  });
}

function standingOf({ server }: World, device: SimDevice): "active" | "revoked" | undefined {
  return server.state.devices.get(device.identity.id)?.status;
}

function personOf(people: readonly Person[], device: SimDevice): Person | undefined {
  return people.find(({ identity }) => identity.user === device.identity.user);
}
