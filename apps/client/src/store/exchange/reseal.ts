import { chainNext, opLine, type Op, type WriterId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { opsAfter, relineOp } from "../records/outbox.ts";
import type { ReplicaRow } from "../rows.ts";
import { createSealer, openedOpOf } from "../sealed/sealed-ops.ts";

/**
 * Seals all that was not acknowledged anew, under the newest key (EE11). It goes on under the same
 * writer: nothing behind the acknowledged place was taken, or the server would have said so before
 * it looked at the epoch, and what is sent twice under an old epoch is refused twice.
 */
export function resealOutbox(context: StoreContext, replica: ReplicaRow): void {
  const { acked, made, namespace } = replica;
  if (replica.writer === null || acked === made) return;
  const writer = replica.writer as WriterId;
  const seal = createSealer(context, { namespace, writer });
  let chain = replica.acked_chain;
  for (const row of opsAfter(context, replica, { after: acked, upTo: made, limit: made })) {
    const op = { ...seal(openedOpOf(context, row).op), n: row.n } as Op;
    const line = opLine(op);
    chain = chainNext(context.sha256, chain, line);
    relineOp(context, row, { line, chain });
  }
  replica.chain = chain;
}
