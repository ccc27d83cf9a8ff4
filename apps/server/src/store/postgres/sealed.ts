/** What an encrypted namespace has beside its records: its log, and its keys as they are wrapped. */
import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import type { DeviceKey, KeyWrap, SealedBeginning } from "@tidemark/protocol/wire";
import type { MemberDevice } from "../accounts-port.ts";
import type { LogRow, NamespaceReader } from "../port.ts";
import type { Transaction } from "./door.ts";

/** See `NamespaceReader`. */
export function sealedReads(
  tx: Transaction,
  namespace: NamespaceId,
): Pick<NamespaceReader, "logEnd" | "epochBeginning" | "log" | "wraps" | "wrappedEpochs"> {
  return {
    logEnd: async () => {
      const [row] = await tx<LogRow[]>`
        select place, entry, epoch from tidemark.membership_log
        where namespace_id = ${namespace} order by place desc limit 1`;
      return row === undefined ? undefined : { ...row };
    },
    epochBeginning: async () => {
      const [row] = await tx<LogRow[]>`
        select place, entry, epoch from tidemark.membership_log
        where namespace_id = ${namespace} order by epoch desc, place limit 1`;
      return row === undefined ? undefined : { ...row };
    },
    log: async () => {
      const rows = await tx<{ readonly entry: string }[]>`
        select entry from tidemark.membership_log
        where namespace_id = ${namespace} order by place`;
      return rows.map(({ entry }) => entry);
    },
    wraps: async (recipient) => {
      const rows = await tx<KeyWrap[]>`
        select epoch, recipient, wrap from tidemark.key_wraps
        where namespace_id = ${namespace} and recipient = ${recipient} order by epoch`;
      return rows.map((row) => ({ ...row }));
    },
    wrappedEpochs: async () => {
      const rows = await tx<{ readonly recipient: string; readonly epochs: number[] }[]>`
        select recipient, json_agg(epoch order by epoch) as epochs from tidemark.key_wraps
        where namespace_id = ${namespace} group by recipient`;
      return new Map(rows.map(({ recipient, epochs }) => [recipient, epochs]));
    },
  };
}

/** Adds entries to the log; the caller holds the namespace's lock. */
export async function addLog(
  tx: Transaction,
  { namespace, nowMs }: { readonly namespace: NamespaceId; readonly nowMs: number },
  rows: readonly LogRow[],
): Promise<void> {
  for (const { place, entry, epoch } of rows) {
    await tx`
      insert into tidemark.membership_log (namespace_id, place, entry, epoch, created_at_ms)
      values (${namespace}, ${place}, ${entry}, ${epoch}, ${nowMs})`;
  }
}

/** Keeps wraps, in the place of older ones. */
export async function saveWraps(
  tx: Transaction,
  namespace: NamespaceId,
  wraps: readonly KeyWrap[],
): Promise<void> {
  for (const { epoch, recipient, wrap } of wraps) {
    await tx`
      insert into tidemark.key_wraps (namespace_id, recipient, epoch, wrap)
      values (${namespace}, ${recipient}, ${epoch}, ${wrap})
      on conflict (namespace_id, recipient, epoch) do update set wrap = excluded.wrap`;
  }
}

/** What a new encrypted namespace begins with; the transaction opens its wall for that. */
export async function saveBeginning(
  tx: Transaction,
  place: { readonly namespace: NamespaceId; readonly nowMs: number },
  { genesis, wraps }: SealedBeginning,
): Promise<void> {
  await tx`select set_config('tidemark.namespace_id', ${place.namespace}, true)`;
  await addLog(tx, place, [{ place: 0, entry: genesis, epoch: 1 }]);
  await saveWraps(tx, place.namespace, wraps);
  await tx`select set_config('tidemark.namespace_id', '', true)`;
}

/** See `AccountStore.saveSealingKey`. */
export async function saveSealingKey(
  tx: Transaction,
  device: DeviceId,
  statement: string,
): Promise<boolean> {
  const rows = await tx`
    update tidemark.devices set sealing_key = ${statement}
    where id = ${device} and status = 'active' returning 1`;
  return rows.length > 0;
}

interface MemberDeviceRow extends Omit<MemberDevice, "key" | "sealingKey"> {
  readonly key: string;
  readonly sealingKey: string | null;
}

/** See `AccountStore.memberDevices`. */
export async function readMemberDevices(
  tx: Transaction,
  namespace: NamespaceId,
): Promise<readonly MemberDevice[]> {
  const rows = await tx<MemberDeviceRow[]>`
    select d.id, d.name, u.id as user, u.name as "userName", d.public_key as key,
      d.sealing_key as "sealingKey"
    from tidemark.members m
    join tidemark.devices d on d.user_id = m.user_id
    join tidemark.users u on u.id = m.user_id
    where m.namespace_id = ${namespace} and d.status = 'active' and d.kind <> 'browser'
    order by d.paired_at_ms, d.id`;
  return rows.map(({ key, sealingKey, ...row }) => ({
    ...row,
    key: JSON.parse(key) as DeviceKey,
    sealingKey: sealingKey ?? undefined,
  }));
}
