import {
  deviceId,
  namespaceId,
  userId,
  type NamespaceId,
  type Role,
} from "../../packages/protocol/src/index.ts";
import { instantKey } from "./instant-crypto.ts";
import { linkOf, macOf } from "./pairing-links.ts";
import type { Identity } from "./sim-device.ts";
import type { SimServer } from "./sim-server.ts";
import { seededBytes, type Tape } from "./tape.ts";
import { shapes, teamCounts, teamCountsAlone } from "./world-mix.ts";

/** A person with devices; the first of all owns the server. */
export interface Person {
  readonly identity: Omit<Identity, "id" | "key">;
  readonly personal: NamespaceId;
  readonly devices: Identity[];
}

/** Who there is, and which namespaces they share. */
export interface Cast {
  readonly people: readonly Person[];
  readonly teams: NamespaceId[];
}

const roles: readonly Role[] = ["writer", "writer", "admin", "reader"];
const farFuture = Number.MAX_SAFE_INTEGER;

/** Draws the people of a run and admits them, as setup, links and invites would. */
export async function admitCast(server: SimServer, tape: Tape, seed: number): Promise<Cast> {
  const random = seededBytes(seed, 2);
  const shape = tape.pick(shapes);
  const people = shape.map((devices, index): Person => {
    const id = userId(random.bytes(16));
    return {
      identity: { user: id, userName: `person-${index}` },
      personal: namespaceId(random.bytes(16)),
      devices: Array.from({ length: devices }, () => ({
        id: deviceId(random.bytes(16)),
        user: id,
        userName: `person-${index}`,
        key: instantKey(random.bytes(32)),
      })),
    };
  });
  for (const person of people) await admitPerson(server, person, people[0] ?? person);
  const teams: NamespaceId[] = [];
  const teamCount = tape.pick(people.length > 1 ? teamCounts : teamCountsAlone);
  for (let index = 0; index < teamCount; index += 1) {
    teams.push(
      await createTeam(server, { tape, people, id: namespaceId(random.bytes(16)), index }),
    );
  }
  return { people, teams };
}

async function admitPerson(server: SimServer, person: Person, owner: Person): Promise<void> {
  const [first, ...others] = person.devices;
  if (first === undefined) throw new Error("a person has a device");
  const user = {
    id: person.identity.user,
    name: person.identity.userName,
    personal: { id: person.personal, name: "personal", mark: `mark ${person.personal}` },
  };
  if (person === owner) {
    await server.accounts.saveSetupSecret("setup", farFuture);
    await server.accounts.claim({ secretHash: "setup", nowMs: 1, user, device: deviceRow(first) });
  } else {
    // An invite to a namespace that is left again right away: every person but the owner comes by one.
    const visited = owner.personal;
    await invite(server, { owner, id: `first ${user.id}`, namespace: visited, role: "reader" });
    await redeem(server, `first ${user.id}`, first, user);
    await server.accounts.removeMember(
      { device: firstDevice(owner).id, namespace: visited },
      user.id,
    );
  }
  for (const device of others) await letIn(server, { by: first, device });
}

/** Lets a device of a person's in by a link that another one of theirs makes. */
export async function letIn(
  server: SimServer,
  { by, device }: { readonly by: Identity; readonly device: Identity },
): Promise<void> {
  await server.accounts.createLink({
    id: linkOf(device.id),
    kind: "device",
    authHash: "auth",
    createdBy: by.user,
    createdByDevice: by.id,
    namespace: undefined,
    role: undefined,
    expiresAtMs: farFuture,
  });
  await redeem(server, linkOf(device.id), device, undefined);
}

async function createTeam(
  server: SimServer,
  team: {
    readonly tape: Tape;
    readonly people: readonly Person[];
    readonly id: NamespaceId;
    readonly index: number;
  },
): Promise<NamespaceId> {
  const { tape, people, id, index } = team;
  const [owner, ...others] = people;
  if (owner === undefined) throw new Error("somebody owns a team");
  const asking = firstDevice(owner).id;
  await server.accounts.createNamespace({ asking, id, name: `team-${index}`, mark: `mark ${id}` });
  for (const person of others) {
    if (tape.chance(150)) continue;
    await join(server, { owner, person, namespace: id, role: tape.pick(roles) });
  }
  return id;
}

/** Makes a person a member, as accepting an invite does. */
export async function join(
  server: SimServer,
  how: {
    readonly owner: Person;
    readonly person: Person;
    readonly namespace: NamespaceId;
    readonly role: Role;
  },
): Promise<void> {
  const { owner, person, namespace, role } = how;
  const id = `invite ${namespace} ${person.identity.user} ${String(server.state.links.size)}`;
  await invite(server, { owner, id, namespace, role });
  const device = firstDevice(person).id;
  await server.accounts.acceptInvite({ id, authHash: "auth", nowMs: 1, device });
}

async function invite(
  server: SimServer,
  link: {
    readonly owner: Person;
    readonly id: string;
    readonly namespace: NamespaceId;
    readonly role: Role;
  },
): Promise<void> {
  await server.accounts.createLink({
    id: link.id,
    kind: "invite",
    authHash: "auth",
    createdBy: link.owner.identity.user,
    createdByDevice: firstDevice(link.owner).id,
    namespace: link.namespace,
    role: link.role,
    expiresAtMs: farFuture,
  });
}

async function redeem(
  server: SimServer,
  id: string,
  device: Identity,
  user: Parameters<SimServer["accounts"]["redeemLink"]>[0]["user"],
): Promise<void> {
  const row = deviceRow(device);
  const { id: serverId } = await server.accounts.server(() => "srv_sim");
  const done = await server.accounts.redeemLink({
    id,
    authHash: "auth",
    mac: macOf(serverId, device, row.name),
    nowMs: 1,
    device: row,
    user,
  });
  if (!done.ok) throw new Error(`${id}: ${done.error.kind}`);
}

/** The device that acts for a person. */
export function firstDevice(person: Person): Identity {
  const [first] = person.devices;
  if (first === undefined) throw new Error("a person has a device");
  return first;
}

function deviceRow({ id, key }: Identity) {
  return {
    id,
    name: `device ${id}`,
    platform: "sim",
    key: key.publicJwk,
    thumbprint: key.thumbprint,
  };
}
