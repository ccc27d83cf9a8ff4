import {
  assertInvariant,
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type Role,
} from "@tidemark/protocol";
import type { DeviceInfo, DeviceKey } from "@tidemark/protocol/wire";
import type {
  AccountStore,
  AdmissionError,
  AdmittedPair,
  KnownDevice,
  DeviceRow,
  ServerRow,
} from "../accounts-port.ts";
import { listedOutMax } from "../admission-rules.ts";
import { deviceEntry } from "../audit-entries.ts";
import { acceptInvite, redeemLink } from "./admission.ts";
import { appendAudit } from "./audit.ts";
import { auditReads } from "./audit-reads.ts";
import { consoleMethods } from "./console.ts";
import { showCounter } from "./counters.ts";
import { textToNetworks } from "./networks-text.ts";
import { noteOutsider } from "./outsiders.ts";
import { deletionMethods } from "./deletion.ts";
import type { Door, Transaction } from "./door.ts";
import { identityMethods } from "./identities.ts";
import { isSilent } from "../job-rules.ts";
import { jobMethods } from "./jobs.ts";
import { readLinkState } from "./link-state.ts";
import { linkMethods } from "./links.ts";
import { membershipMethods } from "./membership.ts";
import { createNamespace, readNamespaces } from "./namespaces.ts";
import { quarantineMethods } from "./quarantine.ts";
import { addSetupSecret, claimOrReset, saveOwnerReset } from "./owner-reset.ts";
import { pairingMethods } from "./pairings.ts";
import { readWatched, revokeDevice } from "./revocation.ts";
import { readMemberDevices, saveSealingKey } from "./sealed.ts";
import { changeSigningKeys, readSigningKeys } from "./signing-keys.ts";
import { waitingMethods } from "./waiting.ts";

/** People, devices, links and keys in Postgres; each method is one transaction. */
export function postgresAccounts(door: Door, clock: { nowMs(): number }): AccountStore {
  const one = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => door.withAccounts(work);
  return {
    server: (makeId) => one((tx) => readServer(tx, makeId)),
    saveSetupSecret: (secretHash, expiresAtMs) =>
      one((tx) => saveSetupSecret(tx, { secretHash, expiresAtMs }, clock.nowMs())),
    saveOwnerReset: (secret) => one((tx) => saveOwnerReset(tx, secret)),
    claim: (input) => one((tx) => claimOrReset(tx, input)),
    linkState: (input) => one((tx) => readLinkState(tx, input)),
    ...linkMethods(door, clock),
    redeemLink: (input) => one((tx) => redeemLink(tx, input)),
    acceptInvite: (input) => one((tx) => acceptInvite(tx, input)),
    ...deviceMethods(door, clock),
    ...pairingMethods(door),
    ...jobMethods(door),
    ...consoleMethods(door),
    ...identityMethods(door),
    namespaces: (asking) => one((tx) => readNamespaces(tx, asking)),
    createNamespace: (input) => one((tx) => createNamespace(tx, input, clock.nowMs())),
    saveSealingKey: (device, statement) => one((tx) => saveSealingKey(tx, device, statement)),
    memberDevices: (namespace) => one((tx) => readMemberDevices(tx, namespace)),
    ...membershipMethods(door, clock),
    ...waitingMethods(door, clock),
    ...deletionMethods(door, clock),
    ...quarantineMethods(door, clock),
    nonceKey: (make) => one((tx) => readNonceKey(tx, make)),
    signingKeys: () => one(readSigningKeys),
    changeSigningKeys: (change) => one((tx) => changeSigningKeys(tx, change, clock.nowMs())),
    ...auditReads(door),
    showCounter: (input) => one((tx) => showCounter(tx, input)),
    noteOutsider: (input) => one((tx) => noteOutsider(tx, input)),
    watched: (input) => one((tx) => readWatched(tx, input)),
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
  await addSetupSecret(tx, secret, nowMs);
  return ok(undefined);
}

type DeviceMethods = Pick<
  AccountStore,
  "device" | "identity" | "touchDevice" | "devices" | "renameDevice" | "revokeDevice"
>;

function deviceMethods(door: Door, clock: { nowMs(): number }): DeviceMethods {
  const one = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => door.withAccounts(work);
  return {
    device: (id, signedBy) => one((tx) => readDevice(tx, { id, signedBy }, clock.nowMs())),
    identity: (id) => one((tx) => readIdentity(tx, id)),
    touchDevice: (id, nowMs) =>
      one(async (tx) => {
        await tx`update tidemark.devices set last_seen_at_ms = ${nowMs} where id = ${id}`;
      }),
    devices: (asking) => one((tx) => readDevices(tx, asking)),
    renameDevice: (asking, id, name, network) =>
      one((tx) => renameDevice(tx, { asking, id, name, network, nowMs: clock.nowMs() })),
    revokeDevice: (input) => revokeDevice(door, input, clock.nowMs()),
  };
}

interface DeviceChange {
  readonly asking: DeviceId;
  readonly id: DeviceId;
  readonly network: string | undefined;
  readonly nowMs: number;
}

interface OwnDevice {
  readonly user: AdmittedPair["user"]["id"];
  readonly name: string;
}

/** A device of the person whose device asks, locked; undefined where it is somebody else's. */
async function lockOwnDevice(
  tx: Transaction,
  { asking, id }: DeviceChange,
): Promise<OwnDevice | undefined> {
  const [found] = await tx<OwnDevice[]>`
    select user_id as user, name from tidemark.devices
    where id = ${id} and user_id = (
      select user_id from tidemark.devices where id = ${asking} and status = 'active')
    for update`;
  return found;
}

async function renameDevice(
  tx: Transaction,
  change: DeviceChange & { readonly name: string },
): Promise<boolean> {
  const found = await lockOwnDevice(tx, change);
  if (found === undefined) return false;
  const { asking, id, name, network, nowMs } = change;
  if (name === found.name) return true;
  await tx`update tidemark.devices set name = ${name} where id = ${id}`;
  const by = { user: found.user, device: asking, network };
  await appendAudit(tx, nowMs, deviceEntry("device-renamed", by, { id, name, before: found.name }));
  return true;
}

// A machine's row says `machine` where a person's says `active` (see the schema).
function shownStatus(tx: Transaction): ReturnType<Transaction> {
  return tx`case status when 'machine' then 'active' else status end`;
}

async function readDevice(
  tx: Transaction,
  { id, signedBy }: { readonly id: DeviceId; readonly signedBy: string | undefined },
  nowMs: number,
): Promise<DeviceRow | undefined> {
  const isSigned =
    signedBy === undefined
      ? tx`true`
      : tx`exists (select 1 from tidemark.signing_keys where kid = ${signedBy})`;
  const [row] = await tx<StoredDeviceRow[]>`
    select id, user_id as user, name, ${shownStatus(tx)} as status, public_key as key, thumbprint,
      kind, networks, ephemeral, paired_at_ms as "pairedAtMs", last_seen_at_ms as "lastSeenAtMs"
    from tidemark.devices where id = ${id} and kind <> 'browser' and ${isSigned}`;
  if (row === undefined) return undefined;
  const { ephemeral, pairedAtMs, lastSeenAtMs, ...device } = row;
  const isGone = ephemeral && isSilent({ pairedAtMs, lastSeenAtMs }, nowMs);
  return {
    ...device,
    status: isGone ? "revoked" : device.status,
    key: JSON.parse(row.key) as DeviceKey,
    networks: textToNetworks(row.networks),
  };
}

interface StoredDeviceRow extends Omit<DeviceRow, "key" | "networks"> {
  readonly key: string;
  readonly networks: string | null;
  readonly ephemeral: boolean;
  readonly pairedAtMs: number;
  readonly lastSeenAtMs: number | null;
}

interface IdentityRow {
  readonly userId: AdmittedPair["user"]["id"];
  readonly userName: string;
  readonly deviceName: string;
  readonly hasSealingKey: boolean;
}

async function readIdentity(tx: Transaction, id: DeviceId): Promise<KnownDevice | undefined> {
  const [row] = await tx<IdentityRow[]>`
    select u.id as "userId", u.name as "userName", d.name as "deviceName",
      d.sealing_key is not null as "hasSealingKey"
    from tidemark.devices d join tidemark.users u on u.id = d.user_id
    where d.id = ${id} and d.status <> 'revoked'`;
  if (row === undefined) return undefined;
  const { userId, userName, deviceName, hasSealingKey } = row;
  return { user: { id: userId, name: userName }, device: { id, name: deviceName }, hasSealingKey };
}

async function readDevices(tx: Transaction, asking: DeviceId): Promise<readonly DeviceInfo[]> {
  const rows = await tx<DeviceInfoRow[]>`
    select id, name, platform, ${shownStatus(tx)} as status, paired_at_ms as "pairedAt", last_seen_at_ms as "lastSeenAt",
      kind, link_id as link, only_namespace_id as namespace, role_max as "roleMax", ephemeral
    from (
      select id, name, platform, status, paired_at_ms, last_seen_at_ms, kind, link_id,
        only_namespace_id, role_max, ephemeral, row_number() over (
        partition by status = 'revoked' order by kind = 'ci', paired_at_ms desc, id) as place
      from tidemark.devices
      where user_id = (select user_id from tidemark.devices where id = ${asking})
        and kind <> 'browser'
    ) placed
    where status <> 'revoked' or place <= ${listedOutMax}
    order by paired_at_ms, id`;
  return rows.map(({ link, namespace, roleMax, ephemeral, ...device }) => ({
    ...device,
    ...(ephemeral === true ? { ephemeral } : {}),
    ...(link === null ? {} : { link }),
    ...(namespace === null ? {} : { namespace }),
    ...(roleMax === null ? {} : { roleMax }),
  }));
}

interface DeviceInfoRow extends Omit<DeviceInfo, "link" | "namespace" | "roleMax"> {
  readonly link: string | null;
  readonly namespace: NamespaceId | null;
  readonly roleMax: Role | null;
}

// One statement: of replicas that start together, all get the key of the first.
async function readNonceKey(tx: Transaction, make: () => string): Promise<string> {
  const [row] = await tx<{ readonly key: string }[]>`
    update tidemark.server set nonce_key = coalesce(nonce_key, ${make()})
    where singleton returning nonce_key as key`;
  assertInvariant(row !== undefined, "the server row is made first");
  return row.key;
}
