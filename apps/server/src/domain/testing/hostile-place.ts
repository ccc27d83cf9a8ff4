import type { DeviceId, JsonObject, RecordId, Result, UserId } from "@tidemark/protocol";
import type { HealTail } from "@tidemark/protocol/wire";
import type { MakeStore } from "../../store/contract.ts";
import type { NamespaceWriter } from "../../store/port.ts";
import { heal } from "../heal.ts";
import type { StatesAnswer } from "../pull.ts";
import { quotaPreset, type Quota } from "../quota.ts";
import type { SyncError } from "../sync-error.ts";
import { createWorld, type TestWriter, type World } from "./world.ts";

/** A team with two writers, of whom one means harm. */
export interface Place {
  readonly world: World;
  /** The author of `r1`. */
  readonly ann: TestWriter;
  /** Who must not get at it. */
  readonly bob: TestWriter;
  /** Bob's. */
  readonly device: DeviceId;
  readonly users: { readonly ann: UserId; readonly bob: UserId };
}

/** Makes one, where a namespace may hold other than usual. */
export type MakePlace = (quota?: Partial<Quota>) => Promise<Place>;

/** Makes such teams on stores of one kind. */
export function placesOn(makeStore: MakeStore): MakePlace {
  return async (quota = {}) => {
    const store = await makeStore({ nowMs: () => 1 });
    const world = await createWorld(store, "hostile", { ...quotaPreset, ...quota });
    const ann = await world.admit("ann", "writer");
    const bob = await world.admit("bob", "writer");
    return {
      world,
      ann: world.writer("wa", ann.device),
      bob: world.writer("wb", bob.device),
      device: bob.device,
      users: { ann: ann.user, bob: bob.user },
    };
  };
}

/** What names a put's parent. */
export function under(parent: string): object {
  return { parent: parent as RecordId };
}

/** Counts how often anybody asks the store for children from now on. */
export function readsOfChildren(world: World): () => number {
  let asked = 0;
  onChildrenAsked(world, () => {
    asked += 1;
  });
  return () => asked;
}

/** Gathers whose children anybody asks the store for from now on. */
export function childrenAskedOf(world: World): () => ReadonlySet<string> {
  const asked = new Set<string>();
  onChildrenAsked(world, (parents) => {
    for (const parent of parents) asked.add(parent);
  });
  return () => asked;
}

export function onChildrenAsked(
  world: World,
  onAsked: (parents: readonly RecordId[]) => void,
): void {
  watchReads(world, (tx) => ({
    children: async (parents) => {
      onAsked(parents);
      return await tx.children(parents);
    },
  }));
}

/** Puts other reads in the place of some of each transaction's. */
export function watchReads(
  { deps }: World,
  readsOf: (tx: NamespaceWriter) => Partial<NamespaceWriter>,
): void {
  const { store } = deps;
  const write = store.writeNamespace.bind(store);
  store.writeNamespace = async (namespace, work) =>
    await write(namespace, async (tx) => await work({ ...tx, ...readsOf(tx) }));
}

/** Delivers states in a heal, as they stand on the wire. */
export function deliver(
  { deps, namespace }: World,
  device: DeviceId,
  ...states: readonly object[]
): Promise<Result<StatesAnswer<HealTail>, SyncError>> {
  const lines = states.map((state) => JSON.stringify(state));
  return heal(deps, { namespace, device, header: { lamport: 0, want: [] }, lines });
}

export function observation(fields: JsonObject): object {
  return { id: "r1", collection: "observation", lamport: 1, writer: "wz", at: 7, fields };
}
