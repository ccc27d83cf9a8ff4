import {
  assertInvariant,
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
} from "@tidemark/protocol";
import type { DeviceInfo, DeviceKey, NamespaceInfo } from "@tidemark/protocol/wire";
import type {
  AccountStore,
  AdmissionError,
  AdmittedPair,
  DeviceRow,
  ServerRow,
  SigningKeyRow,
} from "../accounts-port.ts";
import { setupSecretsMax } from "../admission-rules.ts";
import { acceptInvite, claim, createLink, insertNamespace, redeemLink } from "./admission.ts";
import type { Door, Transaction } from "./door.ts";
import { readLinkState } from "./link-state.ts";
import { membershipMethods } from "./membership.ts";
import { textArrayType } from "./text-array.ts";

/** People, devices, links and keys in Postgres; each method is one transaction. */
export function postgresAccounts(door: Door, clock: { nowMs(): number }): AccountStore {
  const one = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => door.withAccounts(work);
  return {
    server: (makeId) => one((tx) => readServer(tx, makeId)),
    saveSetupSecret: (secretHash, expiresAtMs) =>
      one((tx) => saveSetupSecret(tx, { secretHash, expiresAtMs }, clock.nowMs())),
    claim: (input) => one((tx) => claim(tx, input)),
    createLink: (link) => one((tx) => createLink(tx, link)),
    linkState: (input) => one((tx) => readLinkState(tx, input)),
    redeemLink: (input) => one((tx) => redeemLink(tx, input)),
    acceptInvite: (input) => one((tx) => acceptInvite(tx, input)),
    ...deviceMethods(door),
    namespaces: (asking) => one((tx) => readNamespaces(tx, asking)),
    createNamespace: (input) => one((tx) => createNamespace(tx, input, clock.nowMs())),
    ...membershipMethods(door),
    signingKeys: () => one(readSigningKeys),
    addSigningKey: (key) => one((tx) => addSigningKey(tx, key)),
    heads: (namespaces) => one((tx) => readHeads(tx, namespaces)),
  };
}

async function readServer(tx: Transaction, makeId: () => string): Promise<ServerRow> {
  const find = async (): Promise<ServerRow | undefined> => {
    const [row] = await tx<{ readonly id: string; readonly claimedAtMs: number | null }[]>`
      select id, claimed_at_ms as "claimedAtMs" from tidemark.server where singleton`;
    return row === undefined
      ? undefined
      : { id: row.id, claimedAtMs: row.claimedAtMs ?? undefined };
  };
  const found = await find();
  if (found !== undefined) return found;
  await tx`insert into tidemark.server (singleton, id) values (true, ${makeId()}) on conflict do nothing`;
  const made = await find();
  assertInvariant(made !== undefined, "the server row exists");
  return made;
}

async function saveSetupSecret(
  tx: Transaction,
  secret: { readonly secretHash: string; readonly expiresAtMs: number },
  nowMs: number,
): Promise<Result<void, AdmissionError>> {
  // The lock that a claim takes too: no secret outlives the claim that ran beside it.
  const [server] = await tx<{ readonly claimed: boolean }[]>`
    select claimed_at_ms is not null as claimed
    from tidemark.server where singleton for update`;
  assertInvariant(server !== undefined, "the server row is made first");
  if (server.claimed) return fail({ kind: "already-claimed" });
  await tx`
    delete from tidemark.setup_secrets where secret_hash not in (
      select secret_hash from tidemark.setup_secrets where expires_at_ms > ${nowMs}
      order by expires_at_ms desc limit ${setupSecretsMax - 1})`;
  await tx`
    insert into tidemark.setup_secrets (secret_hash, expires_at_ms)
    values (${secret.secretHash}, ${secret.expiresAtMs})
    on conflict (secret_hash) do update set expires_at_ms = excluded.expires_at_ms`;
  return ok(undefined);
}

type DeviceMethods = Pick<
  AccountStore,
  "device" | "identity" | "touchDevice" | "devices" | "renameDevice" | "revokeDevice"
>;

function deviceMethods(door: Door): DeviceMethods {
  const one = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => door.withAccounts(work);
  return {
    device: (id) => one((tx) => readDevice(tx, id)),
    identity: (id) => one((tx) => readIdentity(tx, id)),
    touchDevice: (id, nowMs) =>
      one(async (tx) => {
        await tx`update tidemark.devices set last_seen_at_ms = ${nowMs} where id = ${id}`;
      }),
    devices: (asking) => one((tx) => readDevices(tx, asking)),
    renameDevice: (asking, id, name) =>
      one(async (tx) => {
        const rows = await tx`
          update tidemark.devices set name = ${name}
          where id = ${id}
            and user_id = (select user_id from tidemark.devices where id = ${asking})
          returning 1`;
        return rows.length > 0;
      }),
    revokeDevice: (asking, id) =>
      one(async (tx) => {
        const rows = await tx`
          update tidemark.devices set status = 'revoked'
          where id = ${id}
            and user_id = (select user_id from tidemark.devices where id = ${asking})
          returning 1`;
        return rows.length > 0;
      }),
  };
}

async function readDevice(tx: Transaction, id: DeviceId): Promise<DeviceRow | undefined> {
  const [row] = await tx<(Omit<DeviceRow, "key"> & { readonly key: string })[]>`
    select id, user_id as user, name, status, public_key as key, thumbprint
    from tidemark.devices where id = ${id}`;
  return row === undefined ? undefined : { ...row, key: JSON.parse(row.key) as DeviceKey };
}

interface IdentityRow {
  readonly userId: AdmittedPair["user"]["id"];
  readonly userName: string;
  readonly deviceName: string;
}

async function readIdentity(tx: Transaction, id: DeviceId): Promise<AdmittedPair | undefined> {
  const [row] = await tx<IdentityRow[]>`
    select u.id as "userId", u.name as "userName", d.name as "deviceName"
    from tidemark.devices d join tidemark.users u on u.id = d.user_id
    where d.id = ${id} and d.status = 'active'`;
  if (row === undefined) return undefined;
  return { user: { id: row.userId, name: row.userName }, device: { id, name: row.deviceName } };
}

async function readDevices(tx: Transaction, asking: DeviceId): Promise<readonly DeviceInfo[]> {
  const rows = await tx<DeviceInfo[]>`
    select id, name, platform, status, paired_at_ms as "pairedAt", last_seen_at_ms as "lastSeenAt"
    from tidemark.devices
    where user_id = (select user_id from tidemark.devices where id = ${asking})
    order by paired_at_ms, id`;
  return rows.map((row) => ({ ...row }));
}

async function readNamespaces(
  tx: Transaction,
  asking: DeviceId,
): Promise<readonly NamespaceInfo[]> {
  const rows = await tx<NamespaceInfo[]>`
    select n.namespace_id as id, n.name, n.kind, m.role, n.head
    from tidemark.devices d
    join tidemark.members m on m.user_id = d.user_id
    join tidemark.namespaces n on n.namespace_id = m.namespace_id
    where d.id = ${asking}
    order by n.kind, n.created_at_ms, n.namespace_id`;
  return rows.map((row) => ({ ...row }));
}

async function createNamespace(
  tx: Transaction,
  input: Parameters<AccountStore["createNamespace"]>[0],
  nowMs: number,
): Promise<NamespaceInfo | undefined> {
  const [device] = await tx<{ readonly user: AdmittedPair["user"]["id"] }[]>`
    select user_id as user from tidemark.devices
    where id = ${input.asking} and status = 'active'`;
  if (device === undefined) return undefined;
  const { id, name, mark } = input;
  await insertNamespace(tx, { id, name, mark, kind: "team", owner: device.user }, nowMs);
  return { id, name, kind: "team", role: "owner", head: 0 };
}

async function readSigningKeys(tx: Transaction): Promise<readonly SigningKeyRow[]> {
  const rows = await tx<SigningKeyRow[]>`
    select kid, jwk, status, created_at_ms as "createdAtMs"
    from tidemark.signing_keys order by created_at_ms desc, kid`;
  return rows.map((row) => ({ ...row }));
}

// The partial unique index on the active key decides between two servers that start together.
async function addSigningKey(tx: Transaction, key: SigningKeyRow): Promise<void> {
  await tx`
    update tidemark.signing_keys set status = 'retiring'
    where status = 'active' and created_at_ms < ${key.createdAtMs}`;
  await tx`
    insert into tidemark.signing_keys (kid, jwk, status, created_at_ms)
    values (${key.kid}, ${key.jwk}, ${key.status}, ${key.createdAtMs})
    on conflict do nothing`;
}

async function readHeads(
  tx: Transaction,
  namespaces: readonly NamespaceId[],
): Promise<ReadonlyMap<NamespaceId, number>> {
  if (namespaces.length === 0) return new Map();
  const rows = await tx<{ readonly id: NamespaceId; readonly head: number }[]>`
    select namespace_id as id, head from tidemark.namespaces
    where namespace_id = any(${tx.array([...namespaces], textArrayType)}::text[])`;
  return new Map(rows.map(({ id, head }) => [id, head]));
}
