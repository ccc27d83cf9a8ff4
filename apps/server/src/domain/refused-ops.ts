import { fail, type RejectCode, type Result } from "@tidemark/protocol";
import { RowRefused } from "../store/row-refused.ts";

/** A push, or the states of a heal, one after the other. */
interface Batch {
  readonly ops: readonly {
    readonly n: number;
    readonly decoded: Result<unknown, RejectCode>;
  }[];
}

/** What looking for refused ops needs. Both throw `RowRefused` where the database refuses a row. */
export interface Trials<Tried, Answer> {
  commit(push: Tried): Promise<Answer>;
  /** Does all that committing does, and takes it back. */
  rehearse(push: Tried): Promise<void>;
  /** Called with the position of each op that is found. */
  onFound(n: number, sqlState: string): void;
}

/** Rehearsals for one push: enough for seven such ops of a thousand. */
const rehearsalsMax = 70;

/**
 * Commits a push without the ops whose rows the database refuses, which end rejected as `invalid`
 * (PS13): one bad op never blocks the rest (OP3). A heal goes without such states (HL46).
 *
 * The first one is where a longer beginning of the push is refused and a shorter one is not, found by
 * halves: at most log2 of its ops rehearsals each, and the next one is looked for behind it. Every
 * rehearsal is a transaction of its own, so others push meanwhile. Where the search ends at no op, or
 * goes on for too long, what the database refused is thrown: then something else is wrong with it.
 */
export async function commitWithoutRefused<Tried extends Batch, Answer>(
  whole: Tried,
  refusal: RowRefused,
  trials: Trials<Tried, Answer>,
): Promise<Answer> {
  let push = whole;
  let taken = 0;
  let left = rehearsalsMax;
  let last = refusal;
  while (taken < push.ops.length) {
    let refused = push.ops.length;
    while (refused - taken > 1) {
      if (left === 0) throw last;
      left -= 1;
      const middle = Math.floor((taken + refused) / 2);
      const found = await refusalOf(() => trials.rehearse(beginningOf(push, middle)));
      if (found === undefined) taken = middle;
      else [refused, last] = [middle, found];
    }
    const op = push.ops[taken];
    if (op !== undefined) trials.onFound(op.n, last.sqlState);
    push = rejecting(push, taken);
    taken += 1;
    let answer: { readonly value: Answer } | undefined;
    const again = await refusalOf(async () => {
      answer = { value: await trials.commit(push) };
    });
    if (answer !== undefined) return answer.value;
    last = again ?? last;
  }
  throw last;
}

async function refusalOf(attempt: () => Promise<void>): Promise<RowRefused | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (error instanceof RowRefused) return error;
    throw error;
  }
}

/** Good for rehearsals alone: its chain is the whole push's. */
function beginningOf<Tried extends Batch>(push: Tried, count: number): Tried {
  return { ...push, ops: push.ops.slice(0, count) };
}

function rejecting<Tried extends Batch>(push: Tried, at: number): Tried {
  const ops = push.ops.map((op, index) =>
    index === at ? { ...op, decoded: fail("invalid" as const) } : op,
  );
  return { ...push, ops };
}
