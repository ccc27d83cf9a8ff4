import { ok, type NamespaceId } from "../../packages/protocol/src/index.ts";
import type { NamespaceReader, Store } from "../../apps/server/src/store/port.ts";
import { StoreUnavailable } from "../../apps/server/src/store/store-unavailable.ts";
import { homePlace, type Directory } from "./directory.ts";

/** The namespace is not where it was looked for. */
class Moved extends Error {}

const attemptsMax = 5;

/**
 * A store over several servers: people live at home, each namespace where the directory says.
 *
 * The directory is asked before a transaction and again in it, for a write under the head row's
 * lock. A move changes the answer under that same lock, so whoever still finds the old answer there
 * may write, and nobody who comes too late can. A read whose snapshot is older than its second look
 * saw the namespace while it was there.
 */
export function createPlacedStore(directory: Directory, stores: ReadonlyMap<string, Store>): Store {
  const storeOf = (place: string): Store => {
    const store = stores.get(place);
    if (store === undefined) throw new Error(`there is no place ${place}`);
    return store;
  };
  const home = storeOf(homePlace);
  const find = createFinder(directory);
  const readNamespace: Store["readNamespace"] = (namespace, work) =>
    find(namespace, "read", (place, stay) =>
      storeOf(place).readNamespace(namespace, async (tx) => {
        await stay();
        return { value: await work(withPeople({ home, directory, place, namespace }, tx)) };
      }),
    );
  const writeNamespace: Store["writeNamespace"] = (namespace, work) =>
    find(namespace, "write", (place, stay) =>
      storeOf(place).writeNamespace(namespace, async (tx) => {
        await stay();
        return { value: await work(withPeople({ home, directory, place, namespace }, tx)) };
      }),
    );
  const headOf = async (namespace: NamespaceId): Promise<number | undefined> =>
    await readNamespace(namespace, async (tx) => (await tx.head()).head);
  /** Rights change under the lock of pushes, wherever those are. */
  const locked = async <T>(namespace: NamespaceId, change: () => Promise<T>): Promise<T> => {
    const { place } = await directory.placementOf(namespace);
    if (place === homePlace) return await change();
    const done = await writeNamespace(namespace, async () => ({ value: await change() }));
    return done === undefined ? await change() : done.value;
  };
  return {
    readNamespace,
    writeNamespace,
    namespaceIds: () => home.namespaceIds(),
    usage: () => home.usage(),
    expiredNamespaces: (countMax) => home.expiredNamespaces(countMax),
    purgeNamespace: (namespace, rowsMax) => home.purgeNamespace(namespace, rowsMax),
    accounts: {
      ...home.accounts,
      namespaces: async (asking) => {
        const rows = await home.accounts.namespaces(asking);
        return await Promise.all(
          rows.map(async (row) => ({ ...row, head: (await headOf(row.id)) ?? row.head })),
        );
      },
      setRole: (actor, user, role) =>
        locked(actor.namespace, () => home.accounts.setRole(actor, user, role)),
      removeMember: (actor, user) =>
        locked(actor.namespace, () => home.accounts.removeMember(actor, user)),
      deleteNamespace: (actor) =>
        locked(actor.namespace, () => home.accounts.deleteNamespace(actor)),
      restoreNamespace: async (actor) => {
        const { namespace } = actor;
        const done = await locked(namespace, () => home.accounts.restoreNamespace(actor));
        if (!done.ok) return done;
        return ok({ ...done.value, head: (await headOf(namespace)) ?? done.value.head });
      },
      revokeDevice: async (input) => {
        const done = await home.accounts.revokeDevice(input);
        // Home knows of no push elsewhere: the answer comes once those are over too.
        for (const { id } of done.ok ? done.value.namespaces : []) await locked(id, async () => {});
        return done;
      },
      revokeLink: async (input) => {
        const done = await home.accounts.revokeLink(input);
        if (done === undefined || !input.withDevices) return done;
        // As above: who ends a link is in the namespace that it leads to.
        const rows = await home.accounts.namespaces(input.asking);
        for (const { id } of rows) await locked(id, async () => {});
        return done;
      },
      watched: async (input) => {
        const { revoked } = await home.accounts.watched({ ...input, namespaces: [] });
        const heads = await Promise.all(
          input.namespaces.map(async (id) => [id, await headOf(id)] as const),
        );
        const known = heads.flatMap(([id, head]) =>
          head === undefined ? [] : [[id, head] as const],
        );
        return { heads: new Map(known), revoked };
      },
    },
    ping: async () =>
      (await Promise.all([...stores.values()].map((store) => store.ping()))).every(Boolean),
    close: async () => {
      await Promise.all([...stores.values()].map((store) => store.close()));
    },
  };
}

type Find = <T>(
  namespace: NamespaceId,
  mode: "read" | "write",
  run: (place: string, stay: () => Promise<void>) => Promise<{ readonly value: T } | undefined>,
) => Promise<T | undefined>;

function createFinder(directory: Directory): Find {
  return async (namespace, mode, run) => {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const { place, isMoving, version } = await directory.placementOf(namespace);
      if (isMoving && mode === "write") throw new StoreUnavailable("the namespace is being moved");
      const stay = async (): Promise<void> => {
        if ((await directory.placementOf(namespace)).version !== version) throw new Moved();
      };
      try {
        const found = await run(place, stay);
        if (found !== undefined) return found.value;
        // Not here: either nowhere, or it has gone meanwhile.
        await stay();
        return undefined;
      } catch (cause) {
        if (!(cause instanceof Moved)) throw cause;
      }
    }
    throw new StoreUnavailable("the namespace does not stay anywhere");
  };
}

interface Whereabouts {
  readonly home: Store;
  readonly directory: Directory;
  readonly place: string;
  readonly namespace: NamespaceId;
}

/** Rights and names come from home, read after the head row was locked, as on one server. */
function withPeople<Tx extends NamespaceReader>(at: Whereabouts, tx: Tx): Tx {
  if (at.place === homePlace) return tx;
  const people: Pick<NamespaceReader, "access" | "deviceWork" | "writers"> = {
    access: (device) => at.home.readNamespace(at.namespace, (own) => own.access(device)),
    deviceWork: async () => {
      const rows = await tx.deviceWork();
      const byDevice = await at.directory.people(rows.map(({ device }) => device));
      return rows.map((row) => ({ ...row, ...byDevice.get(row.device), isLetIn: true }));
    },
    writers: async (ids) => {
      const rows = await Promise.all([...new Set(ids)].toSorted().map((id) => tx.writer(id)));
      const known = rows.filter((row) => row !== undefined);
      const devices = known.map(({ device }) => device);
      const byDevice = await at.directory.people(devices);
      const joined = await at.directory.joined(at.namespace, devices);
      return known.flatMap(({ writer, device }) => {
        const person = byDevice.get(device);
        const joinedAt = joined.get(device);
        const since = joinedAt === undefined ? {} : { joinedAt };
        return person === undefined ? [] : [{ writer, device, ...person, ...since }];
      });
    },
  };
  return { ...tx, ...people };
}
