import type { NamespaceReader } from "../store/port.ts";
import type { Draft } from "./draft.ts";
import { isComplete, load, type Known, type Missing } from "./known.ts";
import { touchedBelow, type Touched } from "./touched.ts";
import { TransactionTooLarge } from "./transaction-too-large.ts";

/**
 * Times that a plan is made. Each asks for all that it lacks as far as it can see, so a handful is
 * enough for any: an op finds its record, a parent, a conflict, children, and who wrote.
 */
const plansMax = 8;

/**
 * Makes a plan anew until it lacks nothing. Throws `TransactionTooLarge` where that takes too much,
 * or too long, for one transaction.
 */
export async function completePlan<Plan extends { readonly draft: Draft }>(
  tx: NamespaceReader,
  known: Known,
  { touched, make }: { readonly touched: Touched; readonly make: () => Plan },
): Promise<Plan> {
  for (let count = 1; ; count += 1) {
    const plan = make();
    const { missing } = plan.draft;
    if (isComplete(missing)) return plan;
    if (count === plansMax) throw new TransactionTooLarge();
    await load(tx, known, withFamilies(known, touched, missing));
  }
}

/** Where one family goes, others may go with it: found link by link, each would take another plan. */
function withFamilies(known: Known, touched: Touched, missing: Missing): Missing {
  if (missing.parents.size === 0) return missing;
  const below = touchedBelow(known, touched, missing.parents);
  const unasked = [...below].filter((id) => !known.children.has(id));
  return { ...missing, parents: new Set([...missing.parents, ...unasked]) };
}
