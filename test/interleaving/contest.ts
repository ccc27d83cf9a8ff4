import {
  chainStart,
  decodeState,
  emptyDigest,
  recordDigest,
  xorDigests,
  type DeviceId,
  type NamespaceId,
  type RecordId,
  type UserId,
  type WriterId,
} from "../../packages/protocol/src/index.ts";
import { heal } from "../../apps/server/src/domain/heal.ts";
import { pull } from "../../apps/server/src/domain/pull.ts";
import { createPush } from "../../apps/server/src/domain/push.ts";
import type { SyncDeps } from "../../apps/server/src/domain/sync-deps.ts";
import { lineOf, live } from "../../apps/server/src/domain/testing/states.ts";
import {
  createWorld,
  entryOf,
  seededRandom,
  sha256,
  type World,
} from "../../apps/server/src/domain/testing/world.ts";
import { createMemoryStore } from "../../apps/server/src/store/memory/memory-store.ts";
import type { Store } from "../../apps/server/src/store/port.ts";

/** A namespace with some records, over which transactions meet. */
export interface Arena {
  readonly world: World;
  readonly namespace: NamespaceId;
  readonly guest: { readonly device: DeviceId; readonly user: UserId };
  /** What a replica holds before the contest, and its cursor. */
  readonly lines: readonly string[];
  readonly cursor: string;
}

/** One transaction of a contest, on a server of its own. */
export type Move = (arena: Arena, deps: SyncDeps) => Promise<unknown>;

const baseLamport = 4;
const start = "start";
const first = "w0" as WriterId;

/** Makes a server for contests, with a member who is not its owner; every arena begins alike. */
export async function createContests(store: Store): Promise<(name: string) => Promise<Arena>> {
  const world = await createWorld(store);
  const guest = await world.admit("guest", "writer");
  let held: Pick<Arena, "lines" | "cursor"> | undefined;
  return async (name) => {
    const namespace = await world.namespaceOf(name);
    const push = createPush({ ...world.deps, random: seededRandom("base") });
    const writer = world.writer(first);
    const lines = [
      writer.put("hot", { title: start }),
      writer.put("cold", { title: start }),
      writer.put("parent", { title: start }),
      writer.put("child", { title: start }, { parent: "parent" as RecordId }),
    ];
    const header = { writer: first, after: 0, chain: chainStart(sha256, first) };
    await push({ namespace, device: world.owner, header, lines });
    held ??= await holdAll(world, namespace);
    return { world, namespace, guest, ...held };
  };
}

async function holdAll(
  world: World,
  namespace: NamespaceId,
): Promise<Pick<Arena, "lines" | "cursor">> {
  const page = await pull(world.deps, { namespace, device: world.owner });
  if (!page.ok) throw new Error(page.error.kind);
  return { lines: page.value.lines, cursor: page.value.tail.cursor };
}

/** Lets the guest of an arena in, as a writer. */
export async function invite({ world, namespace, guest }: Arena): Promise<void> {
  const { accounts } = world.deps.store;
  const id = `inv_${namespace}`;
  await accounts.createLink({
    id,
    kind: "invite",
    authHash: "auth",
    createdBy: "usr_owner" as UserId,
    createdByDevice: world.owner,
    namespace,
    role: "writer",
    expiresAtMs: 10,
  });
  const input = { id, authHash: "auth", nowMs: 1, device: guest.device };
  const joined = await accounts.acceptInvite(input);
  if (!joined.ok) throw new Error(joined.error.kind);
}
/** A push of two ops: a record of its own, and an edit of one that the others edit too. */
export function pushMove(name: string, device?: "guest"): Move {
  return (arena, deps) => {
    const { world, namespace, guest } = arena;
    const writer = world.writer(name);
    writer.lamport = baseLamport;
    const lines = [
      writer.put(`r-${name}`, { title: name }),
      writer.set("hot", { title: `of ${name}` }, { title: entryOf(1, first, start) }),
    ];
    const header = { writer: writer.id, after: 0, chain: chainStart(sha256, writer.id) };
    const pushing = device === "guest" ? guest.device : world.owner;
    return createPush(deps)({ namespace, device: pushing, header, lines });
  };
}

/** A push that forgets a family, and puts a late child into it. */
export function forgetMove(name: string): Move {
  return ({ world, namespace }, deps) => {
    const writer = world.writer(name);
    writer.lamport = baseLamport;
    const lines = [
      writer.forget("parent"),
      writer.put(`r-${name}`, { title: name }, { parent: "parent" as RecordId }),
    ];
    const header = { writer: writer.id, after: 0, chain: chainStart(sha256, writer.id) };
    return createPush(deps)({ namespace, device: world.owner, header, lines });
  };
}

/** A heal that brings a record, an older child of the family, and another value of the hot one. */
export function healMove(name: string): Move {
  return ({ world, namespace }, deps) => {
    const writer = name as WriterId;
    const lines = [
      lineOf(live(`r-${name}`, { title: [name, 3, writer] })),
      lineOf(live("hot", { title: [`of ${name}`, 6, writer] })),
      lineOf({ ...live("late", { title: ["late", 2, writer] }), parent: "parent" as RecordId }),
    ];
    const header = { writer: undefined, lamport: 0, want: ["hot" as RecordId] };
    return heal(deps, { namespace, device: world.owner, header, lines });
  };
}

/** A pull of what came after the arena's cursor, or of all; it asks for a writer's position too. */
export function pullMove(writer: string, from: "cursor" | "start" = "cursor"): Move {
  return ({ world, namespace, cursor }, deps) =>
    pull(deps, {
      namespace,
      device: world.owner,
      writer: writer as WriterId,
      after: from === "cursor" ? cursor : "",
    });
}

/** Takes the right to write from the member, or gives it back. */
export function roleMove(role: "reader" | "writer"): Move {
  return ({ world, namespace, guest }, deps) =>
    deps.store.accounts.setRole({ device: world.owner, namespace }, guest.user, role);
}

/** What moves answer that are made one after another, on the store in memory. */
export async function serially(
  moves: ReadonlyMap<string, Move>,
  order: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const makeArena = await createContests(createMemoryStore({ clock: { nowMs: () => 1 } }));
  const arena = await makeArena("arena");
  await invite(arena);
  const answers = new Map<string, unknown>();
  for (const name of order) {
    const move = moves.get(name);
    if (move !== undefined) answers.set(name, await move(arena, depsOf(arena, name)));
  }
  return answers;
}

/** What a server of its own needs; its marks follow from its name. */
export function depsOf(arena: Arena, name: string, store?: Store): SyncDeps {
  const { deps } = arena.world;
  return { ...deps, random: seededRandom(name), store: store ?? deps.store };
}

/** What a replica holds: where each record stands, and what its states add up to. */
export interface Replica {
  readonly seqs: ReadonlyMap<string, number>;
  readonly digest: string;
}

/** Reads the lines of pages, later ones over earlier ones. */
export function replicaOf(...pages: readonly (readonly string[])[]): Replica {
  const seqs = new Map<string, number>();
  const digests = new Map<string, string>();
  for (const line of pages.flat()) {
    const decoded = decodeState(line);
    if (!decoded.ok) throw new Error(`unreadable line: ${line}`);
    const { state, seq = 0 } = decoded.value;
    seqs.set(state.id, seq);
    digests.set(state.id, recordDigest(sha256, state));
  }
  return { seqs, digest: [...digests.values()].reduce(xorDigests, emptyDigest) };
}
