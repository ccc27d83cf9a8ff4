import { fail, ok, type DeviceId, type Result, type UserId } from "@tidemark/protocol";
import { isSameName, type DeviceKey, type Named } from "@tidemark/protocol/wire";
import type {
  DecideError,
  LookUpError,
  NewPairing,
  PairingFacts,
  PairingState,
  PairingStore,
  StartError,
} from "../pairings-port.ts";
import {
  approvalRules,
  judgeApprover,
  pairingAfterlifeMs,
  pairingsMax,
  serverApprovals,
  type Approver,
} from "../pairing-rules.ts";
import { admitDevice, isKeyInUse } from "./admission.ts";
import { hasAllDevices, lockPerson } from "./places.ts";
import { countAttempts, lockAttempts, readLockedUntilMs } from "./attempts.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";

/** Requests of devices that show a code, in Postgres. */
export function pairingMethods(door: Door): PairingStore {
  return {
    startPairing: (pairing) => door.withAccounts((tx) => start(tx, pairing)),
    pollPairing: (input) => door.withAccounts((tx) => poll(tx, input)),
    lookUpPairing: (input) => door.withAccounts((tx) => lookUp(tx, input)),
    decidePairing: (input) => door.withAccounts((tx) => decide(tx, input)),
    sweepPairings: (nowMs) => door.withAccounts((tx) => sweep(tx, nowMs)),
  };
}

async function start(tx: Transaction, pairing: NewPairing): Promise<Result<void, StartError>> {
  const { nowMs, device } = pairing;
  const network = pairing.network ?? "";
  // One start at a time, so that what is counted still holds when the row is there.
  await tx`select 1 from tidemark.server where singleton for update`;
  const untilMs = await readLockedUntilMs(tx, [serverApprovals]);
  if (untilMs > nowMs) return fail({ kind: "pairing-paused", untilMs });
  if (await isKeyInUse(tx, device)) return fail({ kind: "key-in-use" });
  await sweep(tx, nowMs);
  await tx`delete from tidemark.pairings where thumbprint = ${device.thumbprint}`;
  const [live] = await tx<{ readonly all: number; readonly near: number }[]>`
    select count(*) as all, count(*) filter (where network = ${network}) as near
    from tidemark.pairings
    where status in ('pending', 'approved') and expires_at_ms > ${nowMs}`;
  const { all = 0, near = 0 } = live ?? {};
  if (all >= pairingsMax.inAll || near >= pairingsMax.ofNetwork) return fail({ kind: "too-many" });
  const made = await tx`
    insert into tidemark.pairings (id, poll_hash, code, name, platform, public_key, thumbprint, mac,
      salt, network, status, created_at_ms, expires_at_ms, device_id)
    values (${pairing.id}, ${pairing.pollHash}, ${pairing.code}, ${device.name},
      ${device.platform}, ${JSON.stringify(device.key)}, ${device.thumbprint}, ${pairing.mac},
      ${pairing.salt}, ${network}, 'pending', ${nowMs}, ${pairing.expiresAtMs}, ${device.id})
    on conflict do nothing returning 1`;
  return made.length > 0 ? ok(undefined) : fail({ kind: "code-taken" });
}

interface PairingRow {
  readonly id: string;
  readonly name: string;
  readonly platform: string;
  readonly key: string;
  readonly thumbprint: string;
  readonly status: "pending" | "approved" | "denied" | "redeemed";
  readonly expiresAtMs: number;
  readonly device: DeviceId;
  readonly approver: DeviceId | null;
  readonly approverName: string | null;
  readonly approverUser: UserId | null;
}

async function poll(
  tx: Transaction,
  input: Parameters<PairingStore["pollPairing"]>[0],
): Promise<PairingState> {
  const [held] = await tx<PairingRow[]>`
    select p.id, p.name, p.platform, p.public_key as key, p.thumbprint, p.status,
      p.expires_at_ms as "expiresAtMs", p.device_id as device,
      d.id as approver, d.name as "approverName", d.user_id as "approverUser"
    from tidemark.pairings p
    left join tidemark.devices d on d.id = p.decided_by_device
    where p.id = ${input.id} and p.poll_hash = ${input.pollHash}`;
  if (held === undefined || held.expiresAtMs + pairingAfterlifeMs <= input.nowMs) {
    return { kind: "unknown" };
  }
  if (held.thumbprint !== input.thumbprint) return { kind: "wrong-key" };
  if (held.status === "denied") return { kind: "denied" };
  if (held.status === "redeemed") return await tellAgain(tx, held);
  if (held.expiresAtMs <= input.nowMs) return { kind: "expired" };
  if (held.status === "pending") return { kind: "pending" };
  return await redeem(tx, held, input);
}

async function redeem(
  tx: Transaction,
  held: PairingRow,
  input: Parameters<PairingStore["pollPairing"]>[0],
): Promise<PairingState> {
  const { network, nowMs } = input;
  const { approver, approverName, approverUser: user } = held;
  if (approver === null || approverName === null || user === null) return { kind: "denied" };
  // Read under the lock of shutting out: what a device approved dies with it (PR4).
  await lockPerson(tx, user);
  const active = await tx`
    select 1 from tidemark.devices where id = ${approver} and status = 'active'`;
  if (active.length === 0) return { kind: "denied" };
  if (await hasAllDevices(tx, user)) return { kind: "too-many-devices" };
  const taken = await tx`
    update tidemark.pairings set status = 'redeemed'
    where id = ${held.id} and status = 'approved' and expires_at_ms > ${nowMs} returning 1`;
  // Another poll of the same device was first.
  if (taken.length === 0) return await poll(tx, input);
  const { name, platform, thumbprint } = held;
  const key = JSON.parse(held.key) as DeviceKey;
  const device = { id: held.device, name, platform, thumbprint, key };
  if (await isKeyInUse(tx, device)) return { kind: "key-in-use" };
  const pair = await admitDevice(tx, device, { user, nowMs, mac: null, link: null });
  await appendAudit(tx, nowMs, {
    event: "device-joined",
    details: { name, platform, by: "code", approvedBy: approverName },
    actorUser: user,
    actorDevice: approver,
    aboutUser: user,
    target: device.id,
    network,
  });
  const isNameShared = await isShared(tx, pair.user);
  const approvedBy = { id: approver, name: approverName };
  return { kind: "admitted", pair, approvedBy, isNameShared, isRepeat: false };
}

/** What a device that was admitted is told once more: the first answer may have been lost. */
async function tellAgain(tx: Transaction, held: PairingRow): Promise<PairingState> {
  const { approver, approverName } = held;
  const [admitted] = await tx<{ user: UserId; userName: string; name: string; active: boolean }[]>`
    select u.id as user, u.name as "userName", d.name, d.status = 'active' as active
    from tidemark.devices d join tidemark.users u on u.id = d.user_id
    where d.id = ${held.device}`;
  if (admitted === undefined) return { kind: "key-in-use" };
  if (!admitted.active || approver === null || approverName === null) return { kind: "denied" };
  const user = { id: admitted.user, name: admitted.userName };
  return {
    kind: "admitted",
    pair: { user, device: { id: held.device, name: admitted.name } },
    approvedBy: { id: approver, name: approverName },
    isNameShared: await isShared(tx, user),
    isRepeat: true,
  };
}

// Compared here: what the database takes for the lower case of a letter depends on its locale.
async function isShared(tx: Transaction, { id, name }: Named<UserId>): Promise<boolean> {
  const others = await tx<{ readonly name: string }[]>`
    select name from tidemark.users where id <> ${id}`;
  return others.some((other) => isSameName(other.name, name));
}

async function lookUp(
  tx: Transaction,
  input: Parameters<PairingStore["lookUpPairing"]>[0],
): Promise<Result<PairingFacts, LookUpError>> {
  const { nowMs, code, asking } = input;
  const user = await activeUser(tx, asking);
  if (user === undefined) return fail({ kind: "device-revoked" });
  const rules = approvalRules(user);
  // Locked before anything is looked up: a hundred guesses at once are a hundred guesses.
  await lockAttempts(tx, rules);
  const gate = await gateOf(tx, user, nowMs);
  if (!gate.ok) return gate;
  const [found] = await tx<(PairingFacts & { readonly network: string })[]>`
    select id, name, platform, thumbprint, mac, salt, network, created_at_ms as "createdAtMs",
      expires_at_ms as "expiresAtMs"
    from tidemark.pairings
    where code = ${code} and status = 'pending' and expires_at_ms > ${nowMs}`;
  if (found !== undefined) {
    const { network, ...facts } = found;
    return ok({ ...facts, network: network === "" ? undefined : network });
  }
  const until = await countAttempts(tx, rules, nowMs);
  await countAttempts(tx, [serverApprovals], nowMs);
  if (until > nowMs) {
    await appendAudit(tx, nowMs, {
      event: "approvals-locked",
      details: { until },
      actorUser: user,
      actorDevice: asking,
      aboutUser: user,
      target: user,
      network: input.network,
    });
  }
  return fail({ kind: "invalid-or-expired" });
}

async function gateOf(
  tx: Transaction,
  user: UserId,
  nowMs: number,
): Promise<Result<void, Extract<LookUpError, { readonly untilMs: number }>>> {
  const pausedMs = await readLockedUntilMs(tx, [serverApprovals]);
  if (pausedMs > nowMs) return fail({ kind: "pairing-paused", untilMs: pausedMs });
  const untilMs = await readLockedUntilMs(tx, approvalRules(user));
  return untilMs > nowMs ? fail({ kind: "approvals-locked", untilMs }) : ok(undefined);
}

async function decide(
  tx: Transaction,
  input: Parameters<PairingStore["decidePairing"]>[0],
): Promise<Result<void, DecideError>> {
  const { nowMs, decision, asking } = input;
  const user = await activeUser(tx, asking);
  if (user === undefined) return fail({ kind: "device-revoked" });
  if (decision === "approved") {
    const gate = await gateOf(tx, user, nowMs);
    if (!gate.ok) return gate;
    const verdict = judgeApprover(await readApprover(tx, asking), nowMs);
    if (verdict !== "ok") return fail({ kind: verdict });
  }
  const [decided] = await tx<{ readonly name: string; readonly platform: string }[]>`
    update tidemark.pairings
    set status = ${decision}, code = null, decided_by = ${user}, decided_by_device = ${asking}
    where id = ${input.id} and status = 'pending' and expires_at_ms > ${nowMs}
    returning name, platform`;
  if (decided === undefined) return fail({ kind: "pair-not-pending" });
  await appendAudit(tx, nowMs, {
    event: decision === "approved" ? "pairing-approved" : "pairing-denied",
    details: { name: decided.name, platform: decided.platform },
    actorUser: user,
    actorDevice: asking,
    aboutUser: user,
    network: input.network,
  });
  return ok(undefined);
}

async function readApprover(tx: Transaction, device: DeviceId): Promise<Approver | undefined> {
  const [row] = await tx<Approver[]>`
    select d.status = 'active' as "isActive", d.paired_at_ms as "pairedAtMs",
      exists (select 1 from tidemark.devices o where o.paired_at_ms < d.paired_at_ms) as "hasOlder"
    from tidemark.devices d where d.id = ${device}`;
  return row;
}

async function activeUser(tx: Transaction, device: DeviceId): Promise<UserId | undefined> {
  const [row] = await tx<{ readonly user: UserId }[]>`
    select user_id as user from tidemark.devices where id = ${device} and status = 'active'`;
  return row?.user;
}

async function sweep(tx: Transaction, nowMs: number): Promise<void> {
  await tx`
    update tidemark.pairings set code = null
    where code is not null and expires_at_ms <= ${nowMs}`;
  await tx`
    delete from tidemark.pairings where expires_at_ms <= ${nowMs - pairingAfterlifeMs}`;
}
