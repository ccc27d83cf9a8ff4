import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import type { ActionWorld } from "./action-world.ts";
import type { Extras } from "./extras.ts";
import { Oracle, wordsIn } from "./oracle.ts";
import { foreignHistory } from "./page-marks.ts";
import { admitCast, type Cast } from "./people.ts";
import { hasOtherKey } from "./sealed-checks.ts";
import type { Shelf } from "./shelf.ts";
import { SimDevice, type DeviceWorld, type Identity } from "./sim-device.ts";
import { SimServer } from "./sim-server.ts";
import type { Passed } from "./sim-network.ts";
import type { Run } from "./world-state.ts";

/** All of one simulated world. */
export interface World extends ActionWorld {
  readonly run: Run;
  readonly server: SimServer;
  readonly oracle: Oracle;
  readonly cast: Cast;
  readonly devices: SimDevice[];
  /** Heals that were not asked for by a restore, a clone or a refused change. */
  readonly heals: { count: number };
  clone(device: SimDevice): SimDevice;
  /** A new machine of the owner's, as paired just now. */
  addFresh(): SimDevice;
  isMember(device: Pick<SimDevice, "identity">, namespace: string): boolean;
}

/** What a world is built from. */
export interface WorldOptions {
  readonly run: Run;
  readonly seed: number;
  readonly shelf: Shelf;
  readonly extras: Extras;
}

/** Draws and builds a world; nothing runs in it yet. */
export async function createWorld({ run, seed, shelf, extras }: WorldOptions): Promise<World> {
  const server = new SimServer(run, {
    seed,
    replicas: 1 + run.tape.draw(3),
    isFailover: extras.isFailover === true,
    isWary: extras.isWary === true,
  });
  const { id: serverId } = await server.accounts.server(() => "srv_sim");
  const cast = await admitCast(server, run.tape, seed);
  server.start();
  const oracle = new Oracle();
  const numbers = new Map<string, number>();
  const numberOf = (namespace: string): number => {
    const number = numbers.get(namespace) ?? numbers.size + 1;
    numbers.set(namespace, number);
    return number;
  };
  for (const person of cast.people) numberOf(person.personal);
  for (const team of cast.teams) numberOf(team);
  const personalOf = (device: SimDevice): NamespaceId => {
    const person = cast.people.find(({ identity }) => identity.user === device.identity.user);
    if (person === undefined) throw new Error("a device belongs to a person");
    return person.personal;
  };
  const isMember: World["isMember"] = (device, namespace) => {
    const row = server.state.devices.get(device.identity.id);
    const { members } = server.state.namespaces.get(namespace as NamespaceId) ?? {};
    return row?.status === "active" && members?.has(device.identity.user) === true;
  };
  const heals = { count: 0 };
  const deviceWorld: DeviceWorld = {
    run,
    server,
    serverId,
    shelf,
    pageRecords: run.tape.pick([2, 3, 50]),
    pushOps: run.tape.pick([2, 5, 500]),
    isWary: extras.isWary === true,
    watch: (device, asking) => watchAnswer({ run, server, numbers, isMember }, device, asking),
    onHealed: (device, facts) => {
      heals.count += 1;
      run.trace(`${device.name} healed ${JSON.stringify(facts)}`);
    },
  };
  const devices: SimDevice[] = [];
  let made = 0;
  const nextSeed = (): number => seed * 64 + (made += 1);
  for (const person of cast.people) {
    for (const identity of person.devices) {
      const device = new SimDevice(deviceWorld, {
        name: `d${devices.length}`,
        identity,
        seed: nextSeed(),
        // Some make their database themselves: making one anew is most of a short run.
        path: run.tape.chance(120) ? shelf.newPath() : shelf.take(),
      });
      devices.push(device);
    }
  }
  const add = (device: SimDevice): SimDevice => {
    devices.push(device);
    device.start();
    return device;
  };
  return {
    run,
    extras,
    server,
    oracle,
    cast,
    devices,
    heals,
    numberOf,
    personalOf,
    isMember,
    // A restored server may use a head again; devices that did not hear of it yet are not wrong.
    digestAt: (namespace, head) =>
      server.epoch === 0 ? server.digestAt(namespace, head) : undefined,
    clone: (device) => add(device.clone(`d${devices.length}`, nextSeed())),
    addFresh: () => {
      const [owner] = cast.people;
      const [identity] = owner?.devices ?? [];
      if (identity === undefined) throw new Error("somebody owns the server");
      const device = new SimDevice(deviceWorld, {
        name: `d${devices.length}`,
        identity,
        seed: nextSeed(),
        path: shelf.take(),
      });
      return add(device);
    },
  };
}

/**
 * Holds each answer to what its device may know: no word of a namespace it is no member of when the
 * answer was made, and nothing but a refusal for one that is no member (I6, I12).
 */
function watchAnswer(
  world: Pick<World, "run" | "isMember" | "server"> & {
    readonly numbers: ReadonlyMap<string, number>;
  },
  device: SimDevice,
  identity: Identity,
): (passed: Passed) => void {
  const memberships = (): ReadonlySet<string> =>
    new Set(
      [...world.server.state.namespaces.keys()].filter((id) => world.isMember({ identity }, id)),
    );
  const before = memberships();
  const { epoch } = world.server;
  return ({ method, url, status, body }) => {
    const after = memberships();
    const allowed = new Set([...before, ...after].map((namespace) => world.numbers.get(namespace)));
    for (const word of wordsIn(body)) {
      const number = Number(/^wordof(\d+)no/.exec(word)?.[1]);
      if (!allowed.has(number)) {
        world.run.broken("NS1", `${device.name} was told ${word} of a namespace it is not in`);
      }
    }
    const [, namespace] = /\/v1\/namespaces\/([^/?]+)/.exec(url) ?? [];
    if (namespace === undefined || status >= 300) return;
    const foreign = foreignHistory(world.server.state, url);
    if (foreign !== undefined) world.run.broken("MK2", `${device.name}: ${foreign}`);
    const isPush = method === "POST" && url.endsWith("/ops") && world.server.epoch === epoch;
    if (isPush && hasOtherKey(world, device, namespace)) {
      world.run.broken("EE31", `${device.name} pushed what nobody opens who reads this log`);
    }
    if (!before.has(namespace) && !after.has(namespace)) {
      world.run.broken("NS1", `${device.name} was served in a namespace it is not in: ${status}`);
    }
  };
}
