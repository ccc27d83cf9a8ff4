import type { DeviceId, NamespaceId, Role, UserId } from "@tidemark/protocol";
import type { Suspect } from "@tidemark/protocol/wire";
import type { AccountStore } from "../accounts-port.ts";
import { quarantineEntry } from "../audit-entries.ts";
import { mayQuarantine } from "../quarantine-rules.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";
import { readNamespaces } from "./namespaces.ts";
import { textArrayType } from "./text-array.ts";

type QuarantineMethods = Pick<
  AccountStore,
  "quarantinable" | "quarantine" | "liftQuarantine" | "suspects"
>;
type Input = Parameters<AccountStore["quarantine"]>[0];

/** Hiding what a device wrote and showing it again, in Postgres. */
export function quarantineMethods(door: Door, clock: { nowMs(): number }): QuarantineMethods {
  return {
    quarantinable: (input) =>
      door.withAccounts(async (tx) => {
        const { places } = await readChangeable(tx, input);
        return places.map(({ namespace }) => namespace);
      }),
    quarantine: (input) => door.withAccounts((tx) => quarantine(tx, input, clock.nowMs())),
    liftQuarantine: (input) => door.withAccounts((tx) => lift(tx, input, clock.nowMs())),
    suspects: (asking) => door.withAccounts((tx) => readSuspects(tx, asking)),
  };
}

async function quarantine(
  tx: Transaction,
  input: Input,
  nowMs: number,
): Promise<readonly Suspect[]> {
  const { asking, device, sinceMs, places, network } = input;
  const { by, suspect, places: allowed } = await readChangeable(tx, input);
  const done: Suspect[] = [];
  for (const { namespace } of allowed) {
    const aboveSeq = places.get(namespace);
    if (aboveSeq === undefined || by === undefined || suspect === undefined) continue;
    await tx`
      insert into tidemark.suspects
        (namespace_id, device_id, above_seq, since_ms, set_by, set_by_device, set_at_ms)
      values (${namespace}, ${device}, ${aboveSeq}, ${sinceMs}, ${by}, ${asking}, ${nowMs})
      on conflict (namespace_id, device_id) do update set above_seq = excluded.above_seq,
        since_ms = excluded.since_ms, set_by = excluded.set_by,
        set_by_device = excluded.set_by_device, set_at_ms = excluded.set_at_ms`;
    const doer = { user: by, device: asking, network, namespace };
    await appendAudit(tx, nowMs, quarantineEntry(doer, { id: device, ...suspect }, sinceMs));
    done.push({ namespace, device, aboveSeq, since: sinceMs });
  }
  return done;
}

async function lift(
  tx: Transaction,
  input: Parameters<AccountStore["liftQuarantine"]>[0],
  nowMs: number,
): Promise<readonly NamespaceId[]> {
  const { asking, device, network } = input;
  const { by, suspect, places } = await readChangeable(tx, input);
  const lifted: NamespaceId[] = [];
  for (const { namespace, setBy } of places) {
    if (setBy === null || by === undefined || suspect === undefined) continue;
    const { count } = await tx`
      delete from tidemark.suspects where namespace_id = ${namespace} and device_id = ${device}`;
    if (count === 0) continue;
    const doer = { user: by, device: asking, network, namespace };
    await appendAudit(tx, nowMs, quarantineEntry(doer, { id: device, ...suspect }, undefined));
    lifted.push(namespace);
  }
  return lifted;
}

interface Place {
  readonly namespace: NamespaceId;
  readonly role: Role;
  readonly setBy: UserId | null;
}

interface Changeable {
  readonly by: UserId | undefined;
  readonly suspect: { readonly user: UserId; readonly name: string } | undefined;
  readonly places: readonly Place[];
}

const nowhere: Changeable = { by: undefined, suspect: undefined, places: [] };

/** Where the person whose device asks may set or lift a quarantine of a device. */
async function readChangeable(
  tx: Transaction,
  { asking, device }: Pick<Input, "asking" | "device">,
): Promise<Changeable> {
  // A machine is `machine`, not `active`: it may not (see the schema).
  const [by] = await tx<{ readonly user: UserId }[]>`
    select user_id as user from tidemark.devices where id = ${asking} and status = 'active'`;
  const [suspect] = await tx<{ readonly user: UserId; readonly name: string }[]>`
    select user_id as user, name from tidemark.devices where id = ${device}`;
  if (by === undefined || suspect === undefined) return nowhere;
  // Locked: of two who set it, the second judges by what the first has set.
  const members = await tx<Omit<Place, "setBy">[]>`
    select m.namespace_id as namespace, m.role
    from tidemark.members m join tidemark.namespaces n on n.namespace_id = m.namespace_id
    where m.user_id = ${by.user}
    order by n.kind, n.created_at_ms, n.namespace_id for share of m`;
  const rows = await tx<{ readonly namespace: NamespaceId; readonly setBy: UserId }[]>`
    select namespace_id as namespace, set_by as "setBy"
    from tidemark.suspects where device_id = ${device} for update`;
  const setBy = new Map(rows.map((row) => [row.namespace, row.setBy]));
  const places = members.map((member) => ({
    ...member,
    setBy: setBy.get(member.namespace) ?? null,
  }));
  return {
    by: by.user,
    suspect,
    places: places.filter((place) =>
      mayQuarantine({
        role: place.role,
        asking: { device: asking, user: by.user },
        suspect: { device, user: suspect.user },
        setBy: place.setBy ?? undefined,
      }),
    ),
  };
}

async function readSuspects(tx: Transaction, asking: DeviceId): Promise<readonly Suspect[]> {
  const namespaces = (await readNamespaces(tx, asking)).map(({ id }) => id);
  if (namespaces.length === 0) return [];
  return await tx<Suspect[]>`
    select namespace_id as namespace, device_id as device, above_seq as "aboveSeq",
      since_ms as since
    from tidemark.suspects
    where namespace_id = any(${tx.array([...namespaces], textArrayType)}::text[])
    order by namespace_id, set_at_ms, device_id`;
}
