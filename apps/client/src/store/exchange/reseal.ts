import { chainNext, opLine, type WriterId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { opsAfter, relineOp } from "../records/outbox.ts";
import type { ReplicaRow } from "../rows.ts";
import { wholeOpOf } from "../sealed/closed-ops.ts";
import { renewWriter } from "./fork.ts";
import { createSealer, epochOfLine } from "../sealed/sealed-ops.ts";

/**
 * Seals what was never sent anew, under the newest key (EE11). What may have been sent stays as it
 * is: where the server took it and its answer was lost, the place that it tells is known by the hash
 * of those very lines, and any other would look like a restored server's (CH10).
 */
export function resealUnsent(context: StoreContext, replica: ReplicaRow): void {
  resealAfter(context, replica, Math.max(replica.acked, replica.offered ?? 0));
}

/**
 * Seals all that was not acknowledged anew, once the server has said that it took none of it: by its
 * word of the writer's place, or by a refusal for the key, which it looks at after the place (EE11).
 * It goes on under the same writer, but where some of it does not open: that is set aside until its
 * key is back, and all else goes under a new one (EE30). Gives whether anything is another now.
 */
export function resealRefused(context: StoreContext, replica: ReplicaRow): boolean {
  const { isChanged, isWhole } = resealAfter(context, replica, replica.acked);
  if (!isWhole) renewWriter(context, replica);
  return isChanged || !isWhole;
}

interface Resealed {
  /** Whether any of it was under another key. */
  readonly isChanged: boolean;
  /** Whether all of it opened; what does not stays as it is. */
  readonly isWhole: boolean;
}

function resealAfter(context: StoreContext, replica: ReplicaRow, after: number): Resealed {
  const { made, namespace } = replica;
  let [isChanged, isWhole] = [false, true];
  if (replica.writer === null || after >= made) return { isChanged, isWhole };
  const writer = replica.writer as WriterId;
  const seal = createSealer(context, { namespace, writer });
  let chain = chainAt(context, replica, after);
  for (const row of opsAfter(context, replica, { after, upTo: made, limit: made })) {
    const op = wholeOpOf(context, row);
    const line = op === undefined ? row.line : opLine({ ...seal(op), n: row.n });
    chain = chainNext(context.sha256, chain, line);
    isWhole &&= op !== undefined;
    isChanged ||= epochOfLine(line) !== epochOfLine(row.line);
    relineOp(context, row, { line, chain });
  }
  replica.chain = chain;
  return { isChanged, isWhole };
}

function chainAt(context: StoreContext, replica: ReplicaRow, n: number): string {
  if (n === replica.acked) return replica.acked_chain;
  const [row] = opsAfter(context, replica, { after: n - 1, upTo: n, limit: 1 });
  if (row === undefined) throw new Error("an op that was sent is in the outbox until it is taken");
  return row.chain;
}
