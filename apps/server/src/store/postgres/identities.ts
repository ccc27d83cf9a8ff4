import { fail, ok, type DeviceId, type Result, type UserId } from "@tidemark/protocol";
import type { Named } from "@tidemark/protocol/wire";
import type { ConnectedIdentity, ConnectError, IdentityStore } from "../console-port.ts";
import { identityEntry } from "../console-rules.ts";
import { appendAudit } from "./audit.ts";
import { openSession, useSession } from "./console.ts";
import type { Door, Transaction } from "./door.ts";

/** Accounts at a provider of OpenID Connect, in Postgres. */
export function identityMethods(door: Door): IdentityStore {
  return {
    saveOidcFlow: ({ stateHash, sessionHash = null, nowMs, endsAtMs }) =>
      door.withAccounts(async (tx) => {
        await tx`delete from tidemark.oidc_flows where ends_at_ms <= ${nowMs}`;
        await tx`
          insert into tidemark.oidc_flows (state_hash, session_hash, ends_at_ms)
          values (${stateHash}, ${sessionHash}, ${endsAtMs})`;
      }),
    takeOidcFlow: (stateHash, nowMs) =>
      door.withAccounts(async (tx) => {
        const [taken] = await tx<{ readonly sessionHash: string | null }[]>`
          delete from tidemark.oidc_flows where state_hash = ${stateHash} and ends_at_ms > ${nowMs}
          returning session_hash as "sessionHash"`;
        return taken === undefined ? undefined : { sessionHash: taken.sessionHash ?? undefined };
      }),
    connectIdentity: (input) => door.withAccounts((tx) => connect(tx, input)),
    identities: (asking) =>
      door.withAccounts(
        (tx) => tx<ConnectedIdentity[]>`
          select i.issuer, i.connected_at_ms as "connectedAtMs" ${actorsOf(tx, asking)}
          order by i.issuer`,
      ),
    disconnectIdentity: (input) => door.withAccounts((tx) => disconnect(tx, input)),
    openByIdentity: ({ identity, ...session }) =>
      door.withAccounts(async (tx) => {
        const [found] = await tx<{ readonly device: DeviceId }[]>`
          select i.device_id as device from tidemark.identities i
          join tidemark.devices d on d.id = i.device_id and d.status = 'active'
          where i.issuer = ${identity.issuer} and i.subject = ${identity.subject}`;
        return found === undefined
          ? undefined
          : await openSession(tx, { ...session, device: found.device });
      }),
  };
}

/** The live identities of the person who asks. */
function actorsOf(tx: Transaction, asking: DeviceId): ReturnType<Transaction> {
  return tx`
    from tidemark.identities i
    join tidemark.devices d on d.id = i.device_id and d.status = 'active'
    join tidemark.devices asking on asking.user_id = d.user_id and asking.status = 'active'
      and asking.id = ${asking}`;
}

async function connect(
  tx: Transaction,
  input: Parameters<IdentityStore["connectIdentity"]>[0],
): Promise<Result<void, ConnectError>> {
  const { identity, actor, nowMs, network } = input;
  const { issuer, subject } = identity;
  const session = await useSession(tx, input.sessionHash, nowMs);
  if (session === undefined || session.issuer !== undefined) return fail("signed-out");
  const { user, device } = session;
  // Of two that a person connects at once, the second finds the first.
  await tx`select 1 from tidemark.users where id = ${user.id} for update`;
  const own = await tx`
    select 1 ${actorsOf(tx, device.id)} where i.issuer = ${issuer}`;
  if (own.length > 0) return fail("connected-already");
  // One whose actor was shut out by its id is connected to nobody.
  await tx`
    delete from tidemark.identities i using tidemark.devices d
    where d.id = i.device_id and d.status = 'revoked' and i.issuer = ${issuer}
      and i.subject = ${subject}`;
  const made = await tx`
    insert into tidemark.identities (issuer, subject, device_id, connected_at_ms)
    values (${issuer}, ${subject}, ${actor.id}, ${nowMs}) on conflict do nothing returning 1`;
  if (made.length === 0) return fail("taken");
  await tx`
    insert into tidemark.devices (id, user_id, name, joined_name, platform, public_key, thumbprint,
      status, kind, paired_at_ms)
    values (${actor.id}, ${user.id}, ${actor.name}, ${actor.name}, 'browser',
      ${JSON.stringify(actor.key)}, ${actor.thumbprint}, 'active', 'browser', ${nowMs})`;
  const by = { user: user.id, device: device.id, network };
  await appendAudit(tx, nowMs, identityEntry("identity-connected", by, { ...actor, issuer }));
  return ok(undefined);
}

async function disconnect(
  tx: Transaction,
  { asking, issuer, nowMs, network }: Parameters<IdentityStore["disconnectIdentity"]>[0],
): Promise<boolean> {
  const [actor] = await tx<(Named<DeviceId> & { readonly user: UserId })[]>`
    select d.id, d.name, d.user_id as user ${actorsOf(tx, asking)}
    where i.issuer = ${issuer} for update of i`;
  if (actor === undefined) return false;
  await tx`delete from tidemark.identities where device_id = ${actor.id}`;
  await tx`delete from tidemark.console_keys where device_id = ${actor.id}`;
  await tx`update tidemark.devices set status = 'revoked' where id = ${actor.id}`;
  const by = { user: actor.user, device: asking, network };
  await appendAudit(tx, nowMs, identityEntry("identity-disconnected", by, { ...actor, issuer }));
  return true;
}
