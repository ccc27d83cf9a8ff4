import {
  compactState,
  type DeviceId,
  type NamespaceId,
  type RecordId,
  type Role,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import fc from "fast-check";
import type { Store } from "../../store/port.ts";
import { muchRoom } from "../../store/testing/contract-rows.ts";
import { cursorText } from "../cursor.ts";
import { heal } from "../heal.ts";
import { pull } from "../pull.ts";
import { applyRetention } from "../retention.ts";
import { revisions } from "../revisions.ts";
import { commandArbitrary, createActors, type Command } from "./commands.ts";
import { live } from "./states.ts";
import { entryOf, type World } from "./world.ts";

const people = ["owner", "ann", "bob", "rita"] as const;
type Person = (typeof people)[number];

const roughShapes = [
  "crowded",
  "collection",
  "forged",
  "far",
  "parent",
  "unreadable",
  "nameless",
  "known",
] as const;

/** What a client, an admin or an operator does while roles, devices and namespaces change. */
export type Shift =
  | { readonly kind: "client"; readonly place: "team" | "side"; readonly command: Command }
  | { readonly kind: "group"; readonly commands: readonly Command[] }
  | {
      readonly kind: "role";
      readonly asking: Person;
      readonly of: Person;
      readonly role: Role | "none";
    }
  | { readonly kind: "revoke"; readonly of: Person }
  | { readonly kind: "rejoin"; readonly of: Person; readonly role: Role }
  | { readonly kind: "retain"; readonly age: "young" | "old" }
  | { readonly kind: "return"; readonly of: Person; readonly cursor: number; readonly mark: string }
  | {
      readonly kind: "rough";
      readonly of: Person;
      readonly shapes: readonly (typeof roughShapes)[number][];
      readonly record: number;
    }
  | { readonly kind: "stale"; readonly of: Person; readonly writer: number }
  | { readonly kind: "survey"; readonly of: Person }
  | { readonly kind: "erase" };

const person = fc.constantFrom(...people);
const role = fc.constantFrom<Role>("reader", "writer", "admin", "owner");
const kind = <K extends Shift["kind"]>(name: K): fc.Arbitrary<K> => fc.constant(name);

/** A run of shifts. */
export const shiftsArbitrary: fc.Arbitrary<readonly Shift[]> = fc.array(
  fc.oneof(
    {
      weight: 30,
      arbitrary: fc.record({
        kind: kind("client"),
        place: fc.constantFrom("team" as const, "team" as const, "side" as const),
        command: commandArbitrary,
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: kind("group"),
        commands: fc.array(commandArbitrary, { minLength: 2, maxLength: 4 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: kind("role"),
        asking: fc.constantFrom(...people, "owner" as const, "owner" as const),
        of: person,
        role: fc.oneof(role, fc.constant("none" as const)),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: kind("revoke"), of: fc.constantFrom("ann", "bob", "rita") }),
    },
    { weight: 4, arbitrary: fc.record({ kind: kind("rejoin"), of: person, role }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: kind("retain"), age: fc.constantFrom("young", "old") }),
    },
    {
      weight: 9,
      arbitrary: fc.record({
        kind: kind("return"),
        of: person,
        cursor: fc.nat({ max: 9 }),
        mark: fc.constantFrom("own", "own", "own", "forged"),
      }),
    },
    {
      weight: 9,
      arbitrary: fc.record({
        kind: kind("rough"),
        of: person,
        shapes: fc.array(fc.constantFrom(...roughShapes), { minLength: 1, maxLength: 5 }),
        record: fc.nat({ max: 5 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: kind("stale"), of: person, writer: fc.nat({ max: 3 }) }),
    },
    { weight: 6, arbitrary: fc.record({ kind: kind("survey"), of: person }) },
    { weight: 1, arbitrary: fc.record({ kind: kind("erase") }) },
  ) as fc.Arbitrary<Shift>,
  { minLength: 6, maxLength: 30 },
);

/** Carries shifts out. */
export interface Shifter {
  run(shift: Shift): Promise<unknown>;
}

/**
 * Fills a world: a team with four members, and a namespace beside it where the owner is alone.
 *
 * @param erase removes a namespace with all it holds, as an operator of the database would
 */
export async function createShifter(
  world: World,
  erase: (namespace: NamespaceId) => Promise<void>,
): Promise<Shifter> {
  const team = await createActors(world);
  const side = await world.namespaceOf("side");
  const beside = await createActors(neighbour(world, side));
  const cursors: { readonly seq: number; readonly head: number; readonly mark: string }[] = [];
  const { deps, namespace } = world;
  const { store } = deps;
  let joined = 0;
  return {
    run: async (shift) => {
      switch (shift.kind) {
        case "client":
          return (shift.place === "team" ? team : beside).run(shift.command);
        case "group":
          return Promise.all(distinct(shift.commands).map((command) => team.run(command)));
        case "role":
          return change(store, { namespace, device: deviceOf(shift.asking) }, shift);
        case "revoke":
          return store.accounts.revokeDevice({
            asking: deviceOf(shift.of),
            id: deviceOf(shift.of),
            isForced: true,
          });
        case "rejoin":
          joined += 1;
          return rejoin(store, { id: `again${joined}`, namespace, ...shift });
        case "retain":
          return applyRetention(deps, { nowMs: shift.age === "old" ? 1e12 : 1 });
        case "return": {
          const known = cursors[shift.cursor % Math.max(1, cursors.length)];
          return comeBack(world, cursors, { ...shift, known });
        }
        case "rough":
          return roughHeal(world, shift);
        case "stale": {
          const header = { writer: `w${shift.writer}` as WriterId, after: 1, chain: "0" };
          return world.push({ namespace, device: deviceOf(shift.of), header, lines: ["{}"] });
        }
        case "survey":
          return survey(world, [namespace, side], deviceOf(shift.of));
        case "erase":
          await erase(side);
          return store.readNamespace(side, (tx) => tx.head());
      }
    },
  };
}

/** The same people at a namespace to which only the owner belongs. */
function neighbour(world: World, namespace: NamespaceId): World {
  return {
    ...world,
    namespace,
    admit: async (name) => ({ device: deviceOf(name), user: userOf(name) }),
    writer: (name, device) => world.writer(name, device, namespace),
  };
}

// A writer has one push in flight.
function distinct(commands: readonly Command[]): readonly Command[] {
  const pushing = commands.filter(({ kind }) => kind === "push" || kind === "repeat");
  const byWriter = new Map(pushing.map((each) => ["writer" in each ? each.writer : 0, each]));
  return [...byWriter.values()];
}

function change(
  store: Store,
  actor: { readonly namespace: NamespaceId; readonly device: DeviceId },
  shift: Extract<Shift, { readonly kind: "role" }>,
): Promise<unknown> {
  const user = userOf(shift.of);
  return shift.role === "none"
    ? store.accounts.removeMember(actor, user)
    : store.accounts.setRole(actor, user, shift.role);
}

async function rejoin(
  store: Store,
  how: {
    readonly id: string;
    readonly of: Person;
    readonly namespace: NamespaceId;
    readonly role: Role;
  },
): Promise<unknown> {
  const { id, of, namespace, role } = how;
  await store.accounts.createLink({
    id,
    kind: "invite",
    authHash: "auth",
    createdBy: userOf("owner"),
    createdByDevice: deviceOf("owner"),
    namespace,
    role,
    expiresAtMs: 10,
  });
  const device = deviceOf(of);
  return store.accounts.acceptInvite({ id, authHash: "auth", nowMs: 1, device });
}

/** Pulls from a cursor that was given out long ago, or with a mark that no server gave. */
async function comeBack(
  world: World,
  cursors: { readonly seq: number; readonly head: number; readonly mark: string }[],
  how: {
    readonly of: Person;
    readonly mark: string;
    readonly known: (typeof cursors)[number] | undefined;
  },
): Promise<unknown> {
  const { known, mark } = how;
  const after =
    known === undefined
      ? undefined
      : cursorText(mark === "own" ? known : { ...known, mark: "forged" });
  const { deps, namespace } = world;
  const answer = await pull(deps, { namespace, device: deviceOf(how.of), after, limit: 3 });
  if (answer.ok) {
    const { head, mark: told } = answer.value.tail;
    cursors.push({ seq: Math.max(0, head - (cursors.length % 3)), head, mark: told });
  }
  return answer;
}

function roughHeal(
  world: World,
  shift: Extract<Shift, { readonly kind: "rough" }>,
): Promise<unknown> {
  const lines = shift.shapes.map((shape, index) => roughLine(shape, shift.record + index));
  const writer = people.indexOf(shift.of);
  const header = {
    writer: `w${writer}` as WriterId,
    lamport: 2 ** 34,
    want: ["r0", "nobody"] as RecordId[],
  };
  const { namespace, deps } = world;
  return heal(deps, { namespace, device: deviceOf(shift.of), header, lines });
}

function roughLine(shape: (typeof roughShapes)[number], index: number): string {
  const id = `r${index % 6}` as RecordId;
  const writer = `w${index % 4}` as WriterId;
  const state = live(id, { f0: [String(index), 3 + index, writer] });
  switch (shape) {
    case "crowded": {
      const fields = Array.from({ length: 300 }, (_, at) => [`f${at}`, ["x", 2, writer]] as const);
      return JSON.stringify(compactState(live(id, Object.fromEntries(fields))));
    }
    case "collection":
      return JSON.stringify(compactState({ ...state, collection: "session" }));
    case "forged":
      return JSON.stringify(compactState({ ...state, collection: "conflict" }));
    case "far":
      return JSON.stringify(compactState(live(id, { f0: ["far", 2 ** 45, writer] })));
    case "parent":
      return JSON.stringify(compactState({ ...state, parent: "r1" as RecordId }));
    case "unreadable":
      return JSON.stringify({ id, collection: 5 });
    case "nameless":
      return "{}";
    case "known":
      return JSON.stringify({ ...compactState(state), past: { f0: [entryOf(1, writer, 1)] } });
  }
}

/** Everything that can be asked, as one device. */
async function survey(
  world: World,
  namespaces: readonly NamespaceId[],
  device: DeviceId,
): Promise<unknown> {
  const { accounts } = world.deps.store;
  const [namespace = world.namespace] = namespaces;
  const members = await accounts.members({ device, namespace });
  const records = Array.from({ length: 6 }, (_, index) => `r${index}` as RecordId);
  return {
    members: members.ok ? members.value.toSorted(byText(({ user }) => user.id)) : members,
    namespaces: (await accounts.namespaces(device)).toSorted(byText(({ id }) => id)),
    heads: [...(await accounts.watched({ namespaces, devices: [] })).heads].toSorted(
      byText(([id]) => id),
    ),
    all: (await world.deps.store.namespaceIds()).toSorted(),
    identity: await accounts.identity(device),
    revisions: await Promise.all(
      records.map((record) => revisions(world.deps, { namespace, device, record })),
    ),
    stored: await Promise.all(
      namespaces.map((each) =>
        world.deps.store.readNamespace(each, async (tx) => ({
          head: await tx.head(),
          marks: await Promise.all(Array.from({ length: 20 }, (_, head) => tx.markOf(head))),
          records: (await tx.records(records)).toSorted(byText(({ state }) => state.id)),
          past: await Promise.all(records.map((record) => tx.revisions(record, muchRoom))),
          writers: await Promise.all(people.map((_, index) => tx.writer(`w${index}` as WriterId))),
        })),
      ),
    ),
  };
}

function byText<T>(textOf: (item: T) => string): (left: T, right: T) => number {
  return (left, right) => (textOf(left) < textOf(right) ? -1 : 1);
}

function deviceOf(name: string): DeviceId {
  return `dev_${name}` as DeviceId;
}

function userOf(name: string): UserId {
  return `usr_${name}` as UserId;
}
