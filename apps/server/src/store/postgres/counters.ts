import type { UserId } from "@tidemark/protocol";
import { copiedEveryMs, type AuditStore, type CounterVerdict } from "../audit-port.ts";
import { appendAudit } from "./audit.ts";
import type { Transaction } from "./door.ts";

interface Behind {
  readonly user: UserId;
  readonly name: string;
  readonly counter: number;
}

/** See `AuditStore.showCounter`. */
export async function showCounter(
  tx: Transaction,
  input: Parameters<AuditStore["showCounter"]>[0],
): Promise<CounterVerdict> {
  const { device, counter, nowMs, network } = input;
  const taken = await tx`
    update tidemark.devices set counter = ${counter}
    where id = ${device} and status <> 'revoked' and counter < ${counter} returning 1`;
  if (taken.length > 0) return { kind: "shown" };
  // The lock makes two refusals at once one row.
  const [found] = await tx<Behind[]>`
    select user_id as user, name, counter from tidemark.devices
    where id = ${device} and status <> 'revoked' for update`;
  if (found === undefined) return { kind: "unknown" };
  const { user, name } = found;
  const told = await tx`
    select 1 from tidemark.audit
    where about_user = ${user} and event = 'key-copied' and target = ${device}
      and at_ms > ${nowMs - copiedEveryMs}
    limit 1`;
  if (told.length === 0) {
    const about = { aboutUser: user, target: device, network };
    await appendAudit(tx, nowMs, { event: "key-copied", ...about, details: { name } });
  }
  return { kind: "behind", counter: found.counter };
}
