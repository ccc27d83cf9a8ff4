import type { DeviceId, NamespaceId, UserId } from "../../packages/protocol/src/index.ts";
import postgres from "postgres";

/** Where people, devices, links and keys are kept, and every namespace begins. */
export const homePlace = "home";

/** Which server holds a namespace. */
export interface Placement {
  readonly place: string;
  /** Writes are held off. */
  readonly isMoving: boolean;
  /** Rises with every change, so that whoever looked before can tell that it still holds. */
  readonly version: number;
}

/** The directory of namespaces, in a table of the home server. */
export interface Directory {
  placementOf(namespace: NamespaceId): Promise<Placement>;
  /** Holds writes off. A second mover takes over: the first one's `endMove` then changes nothing. */
  beginMove(namespace: NamespaceId): Promise<Placement>;
  /** Says where the namespace is from now on; false when another mover took over. */
  endMove(namespace: NamespaceId, begun: Placement, place: string): Promise<boolean>;
  /** The people behind devices, revoked ones too. */
  people(devices: readonly DeviceId[]): Promise<ReadonlyMap<DeviceId, Person>>;
  /** Since when they are members of a namespace that was there a day before (NS26). */
  joined(
    namespace: NamespaceId,
    devices: readonly DeviceId[],
  ): Promise<ReadonlyMap<DeviceId, number>>;
  close(): Promise<void>;
}

/** A device's name and its person's, and whether it is a machine. */
export interface Person {
  readonly deviceName: string;
  readonly user: UserId;
  readonly userName: string;
  readonly machine?: boolean;
}

/** Opens the directory, and makes its table where there is none. */
export async function openDirectory(homeUrl: string): Promise<Directory> {
  const sql = postgres(homeUrl, { max: 4, onnotice: () => {} });
  await sql`
    create table if not exists public.placements (
      namespace_id text primary key, place text not null, is_moving boolean not null,
      version integer not null)`;
  return {
    placementOf: async (namespace) => {
      const [row] = await sql<Placement[]>`
        select place, is_moving as "isMoving", version
        from public.placements where namespace_id = ${namespace}`;
      return row ?? { place: homePlace, isMoving: false, version: 0 };
    },
    beginMove: async (namespace) => {
      const [row] = await sql<Placement[]>`
        insert into public.placements as p values (${namespace}, ${homePlace}, true, 1)
        on conflict (namespace_id) do update set is_moving = true, version = p.version + 1
        returning place, is_moving as "isMoving", version`;
      if (row === undefined) throw new Error("no placement was written");
      return row;
    },
    endMove: async (namespace, { version }, place) => {
      const changed = await sql`
        update public.placements
        set place = ${place}, is_moving = false, version = version + 1
        where namespace_id = ${namespace} and version = ${version} returning 1`;
      return changed.length === 1;
    },
    people: async (devices) => {
      const rows = await sql<(Person & { readonly id: DeviceId; readonly machine: boolean })[]>`
        select d.id, d.name as "deviceName", u.id as user, u.name as "userName",
          d.kind = 'ci' as machine
        from tidemark.devices d join tidemark.users u on u.id = d.user_id
        where d.id = any(${sql.array([...devices], 25)}::text[])`;
      return new Map(
        rows.map(({ id, machine, ...person }) => [id, machine ? { ...person, machine } : person]),
      );
    },
    joined: async (namespace, devices) => {
      const rows = await sql<{ readonly id: DeviceId; readonly joinedAt: number }[]>`
        select d.id, m.joined_at_ms::float8 as "joinedAt"
        from tidemark.devices d
        join tidemark.members m on m.namespace_id = ${namespace} and m.user_id = d.user_id
        join tidemark.namespaces n on n.namespace_id = m.namespace_id
        where d.id = any(${sql.array([...devices], 25)}::text[])
          and m.joined_at_ms > n.created_at_ms + 86400000`;
      return new Map(rows.map(({ id, joinedAt }) => [id, joinedAt]));
    },
    close: async () => await sql.end({ timeout: 5 }),
  };
}
