import { fail, ok, type Result, type UserId } from "@tidemark/protocol";
import type { AccountStore, AdmissionError, AdmittedPair } from "../accounts-port.ts";
import { setupSecretsMax } from "../admission-rules.ts";
import { joinedEntry, resetEntry } from "../audit-entries.ts";
import { admitDevice, claim, isKeyInUse } from "./admission.ts";
import { appendAudit } from "./audit.ts";
import type { Transaction } from "./door.ts";

interface Owner {
  readonly id: UserId;
  readonly name: string;
}

/** See `AccountStore.saveOwnerReset`. A server of before refuses the secret: it has an owner. */
export async function saveOwnerReset(
  tx: Transaction,
  secret: Parameters<AccountStore["saveOwnerReset"]>[0],
): Promise<string | undefined> {
  const { nowMs } = secret;
  const [server] = await tx<{ readonly claimed: boolean }[]>`
    select claimed_at_ms is not null as claimed
    from tidemark.server where singleton for update`;
  const owner = server?.claimed === true ? await readOwner(tx) : undefined;
  if (owner === undefined) return undefined;
  await addSetupSecret(tx, secret, nowMs);
  await appendAudit(tx, nowMs, resetEntry(owner));
  return owner.name;
}

/** Adds a secret, under the lock of the server's row; expired ones and the oldest give way. */
export async function addSetupSecret(
  tx: Transaction,
  secret: { readonly secretHash: string; readonly expiresAtMs: number },
  nowMs: number,
): Promise<void> {
  await tx`
    delete from tidemark.setup_secrets where secret_hash not in (
      select secret_hash from tidemark.setup_secrets where expires_at_ms > ${nowMs}
      order by expires_at_ms desc limit ${setupSecretsMax - 1})`;
  await tx`
    insert into tidemark.setup_secrets (secret_hash, expires_at_ms)
    values (${secret.secretHash}, ${secret.expiresAtMs})
    on conflict (secret_hash) do update set expires_at_ms = excluded.expires_at_ms`;
}

/** See `AccountStore.claim`: a server that has an owner may take one more device of theirs. */
export async function claimOrReset(
  tx: Transaction,
  input: Parameters<AccountStore["claim"]>[0],
): Promise<Result<AdmittedPair, AdmissionError>> {
  const pair = await claim(tx, input);
  if (pair.ok || pair.error.kind !== "already-claimed") return pair;
  // Under the lock of the server's row still, so that of many at once one gets in.
  return await redeemOwnerReset(tx, input);
}

async function redeemOwnerReset(
  tx: Transaction,
  input: Parameters<AccountStore["claim"]>[0],
): Promise<Result<AdmittedPair, AdmissionError>> {
  const { secretHash, nowMs, device, network } = input;
  const [secret] = await tx`
    select 1 from tidemark.setup_secrets
    where secret_hash = ${secretHash} and expires_at_ms > ${nowMs}`;
  const owner = secret === undefined ? undefined : await readOwner(tx);
  if (owner === undefined) return fail({ kind: "already-claimed" });
  if (await isKeyInUse(tx, device)) return fail({ kind: "key-in-use" });
  await tx`delete from tidemark.setup_secrets`;
  const pair = await admitDevice(tx, device, { user: owner.id, nowMs, mac: null, link: null });
  const by = { user: owner.id, device: device.id, network };
  await appendAudit(tx, nowMs, joinedEntry(device, by, { by: "owner-reset" }));
  return ok(pair);
}

async function readOwner(tx: Transaction): Promise<Owner | undefined> {
  const [owner] = await tx<Owner[]>`
    select id, name from tidemark.users where is_owner order by created_at_ms, id limit 1`;
  return owner;
}
