import type { DeviceId, UserId } from "@tidemark/protocol";
import type { ConsoleSession, ConsoleStore } from "../console-port.ts";
import { consoleOpenedEntry, isIdle, noteEveryMs, sessionsOfDeviceMax } from "../console-rules.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";

/** Sign-in links and sessions of the console, in Postgres. */
export function consoleMethods(door: Door): ConsoleStore {
  return {
    saveConsoleLink: (link) => door.withAccounts((tx) => saveLink(tx, link)),
    openConsole: (input) => door.withAccounts((tx) => open(tx, input)),
    consoleSession: (hash, nowMs) => door.withAccounts((tx) => useSession(tx, hash, nowMs)),
    closeConsole: (hash) =>
      door.withAccounts(async (tx) => {
        await tx`delete from tidemark.console_keys where hash = ${hash} and kind = 'session'`;
      }),
  };
}

async function saveLink(
  tx: Transaction,
  link: Parameters<ConsoleStore["saveConsoleLink"]>[0],
): Promise<boolean> {
  const { asking, nowMs } = link;
  await tx`delete from tidemark.console_keys where ends_at_ms <= ${nowMs}`;
  await tx`delete from tidemark.console_keys where device_id = ${asking} and kind = 'link'`;
  const made = await tx`
    insert into tidemark.console_keys (hash, kind, device_id, made_at_ms, seen_at_ms, ends_at_ms)
    select ${link.hash}, 'link', id, ${nowMs}::bigint, ${nowMs}::bigint, ${link.endsAtMs}::bigint
    from tidemark.devices where id = ${asking} and status = 'active' and kind = 'person'
    returning 1`;
  return made.length > 0;
}

async function open(
  tx: Transaction,
  input: Parameters<ConsoleStore["openConsole"]>[0],
): Promise<ConsoleSession | undefined> {
  const { nowMs } = input;
  const [taken] = await tx<{ readonly device: DeviceId }[]>`
    delete from tidemark.console_keys
    where hash = ${input.linkHash} and kind = 'link' and ends_at_ms > ${nowMs}
    returning device_id as device`;
  if (taken === undefined) return undefined;
  return await openSession(tx, { ...input, device: taken.device, askedAtMs: nowMs });
}

/** Opens a session of what may have one, and tells the audit. */
export async function openSession(
  tx: Transaction,
  input: Omit<Parameters<ConsoleStore["openConsole"]>[0], "linkHash"> & {
    readonly device: DeviceId;
    readonly askedAtMs: number;
  },
): Promise<ConsoleSession | undefined> {
  const { nowMs, sessionHash, device, askedAtMs } = input;
  await tx`
    delete from tidemark.console_keys where hash in (
      select hash from tidemark.console_keys
      where device_id = ${device} and kind = 'session'
      order by made_at_ms desc, hash offset ${sessionsOfDeviceMax - 1})`;
  await tx`
    insert into tidemark.console_keys (hash, kind, device_id, made_at_ms, seen_at_ms, ends_at_ms)
    values (${sessionHash}, 'session', ${device}, ${askedAtMs}, ${nowMs}, ${input.endsAtMs})`;
  const session = await useSession(tx, sessionHash, nowMs);
  if (session === undefined) return undefined;
  await appendAudit(tx, nowMs, consoleOpenedEntry(session, input.network));
  return session;
}

interface SessionRow {
  readonly user: UserId;
  readonly userName: string;
  readonly isOwner: boolean;
  readonly device: DeviceId;
  readonly deviceName: string;
  readonly issuer: string | null;
  readonly madeAtMs: number;
  readonly seenAtMs: number;
}

/** See `ConsoleStore.consoleSession`. */
export async function useSession(
  tx: Transaction,
  hash: string,
  nowMs: number,
): Promise<ConsoleSession | undefined> {
  const [row] = await tx<SessionRow[]>`
    select u.id as user, u.name as "userName", u.is_owner as "isOwner", d.id as device,
      d.name as "deviceName", i.issuer, k.made_at_ms as "madeAtMs", k.seen_at_ms as "seenAtMs"
    from tidemark.console_keys k
    join tidemark.devices d on d.id = k.device_id and d.status = 'active' and d.kind <> 'ci'
    join tidemark.users u on u.id = d.user_id
    left join tidemark.identities i on i.device_id = d.id
    where k.hash = ${hash} and k.kind = 'session' and k.ends_at_ms > ${nowMs}`;
  if (row === undefined || isIdle(row.seenAtMs, nowMs)) return undefined;
  if (nowMs - row.seenAtMs >= noteEveryMs) {
    await tx`update tidemark.console_keys set seen_at_ms = ${nowMs} where hash = ${hash}`;
  }
  const { user, userName, isOwner, device, deviceName, issuer, madeAtMs } = row;
  return {
    user: { id: user, name: userName, isOwner },
    device: { id: device, name: deviceName },
    issuer: issuer ?? undefined,
    madeAtMs,
  };
}
