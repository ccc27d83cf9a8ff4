/** One pull or heal of one namespace: plan, request, answer into the store, what it came to. */
import type { NamespaceId } from "@tidemark/protocol";
import type { PageTaken, PullPlan, ReplicaStore } from "../store/replica-store.ts";
import { healNamespace, type HealCounts } from "./heal.ts";
import { foreignPosition } from "./foreign-position.ts";
import { garbled } from "./http/failures.ts";
import type { Happening } from "./machine/event.ts";
import type { Work } from "./outcome.ts";
import type { PageAhead } from "./page-ahead.ts";
import type { KeyExchange } from "./sealed/key-exchange.ts";
import type { Answer, Failure, PullAnswer, Transport } from "./transport.ts";

/** What an exchange needs. */
export interface ExchangeDeps {
  readonly store: ReplicaStore;
  readonly transport: Transport;
  readonly keys?: KeyExchange | undefined;
  /** Told how far a pull or a heal is. */
  readonly onWork?: (work: Work) => void;
}

/** Undefined: the exchange was cancelled, and nothing of a late answer was taken. */
export type Exchanged = Happening | undefined;

/** A page ahead, and the time that its request gets to leave before this process is busy. */
export interface Ahead {
  readonly page: PageAhead;
  readonly leave: (signal: AbortSignal) => Promise<void>;
}

/** Takes one page of what is new; asks for the one after it before, where there is a way to. */
export async function exchangePull(
  deps: ExchangeDeps,
  namespace: NamespaceId,
  signal: AbortSignal,
  ahead?: Ahead,
): Promise<Exchanged> {
  const wanted = deps.store.planPull(namespace);
  if (wanted === undefined) return { kind: "pull-answered", outcome: { kind: "nothing" } };
  const { plan, page, aboveSeq } = await askPage(deps, namespace, wanted, { signal, ahead });
  if (signal.aborted) return undefined;
  if (!page.ok) return pullFailed(deps, namespace, plan, page.error);
  if (!leadsOn(page.value, aboveSeq)) return pullFailed(deps, namespace, plan, garbled);
  const { more: hasMore } = page.value.tail;
  if (hasMore) await askAhead(deps, namespace, page.value, { signal, ahead });
  if (signal.aborted) return undefined;
  const taken = deps.store.takePage(namespace, plan, page.value);
  const { records, tail } = page.value;
  deps.onWork?.({ kind: "pull", done: records.at(-1)?.seq ?? tail.head, total: tail.head });
  if (!hasMore) await fetchLackingKey(deps, namespace, taken, signal);
  return pulled(deps, namespace, taken, hasMore);
}

/**
 * Whether a page goes beyond the one before it, and brings what it says is followed by more: another
 * one would be asked for at once, and without an end (PL24).
 */
function leadsOn({ records, tail }: PullAnswer, aboveSeq: number): boolean {
  const first = records.at(0)?.seq;
  return first === undefined ? !tail.more : first > aboveSeq;
}

/** Where somebody turned the key over, what a page brought is read as soon as that is here (EE11). */
async function fetchLackingKey(
  { keys }: ExchangeDeps,
  namespace: NamespaceId,
  taken: PageTaken,
  signal: AbortSignal,
): Promise<void> {
  if (taken.kind === "taken" && taken.lacksKey === true) await keys?.refresh(namespace, signal);
}

function pulled(
  { store }: ExchangeDeps,
  namespace: NamespaceId,
  taken: PageTaken,
  hasMore: boolean,
): Happening {
  if (taken.kind === "fork") return { kind: "fork", lane: "pull", cause: taken.cause };
  if (taken.kind === "overtaken") return pulledMore;
  // A heal in the middle would fetch the rest of the namespace record by record; first the head.
  if (taken.kind === "heal-due" && !hasMore) {
    return { kind: "pull-answered", outcome: { kind: "heal-due" } };
  }
  const needsHeal = store.replica(namespace)?.needsHeal ?? false;
  return { kind: "pull-answered", outcome: { kind: "taken", hasMore, needsHeal } };
}

const pulledMore: Happening = {
  kind: "pull-answered",
  outcome: { kind: "taken", hasMore: true, needsHeal: false },
};

/** How a page is asked for. */
interface Way {
  readonly signal: AbortSignal;
  readonly ahead: Ahead | undefined;
}

async function askAhead(
  { store }: ExchangeDeps,
  namespace: NamespaceId,
  { records, tail }: PullAnswer,
  { signal, ahead }: Way,
): Promise<void> {
  const standing = store.planPull(namespace);
  if (standing === undefined) return;
  const aboveSeq = records.at(-1)?.seq ?? 0;
  const place = { aboveSeq, rest: tail.head - aboveSeq };
  ahead?.page.ask(namespace, { ...standing, after: tail.cursor }, place);
  await ahead?.leave(signal);
}

/** What came of asking for a page, and where the one before it ended, as far as that is known. */
interface Asked {
  readonly plan: PullPlan;
  readonly page: Answer<PullAnswer>;
  readonly aboveSeq: number;
}

async function askPage(
  deps: ExchangeDeps,
  namespace: NamespaceId,
  wanted: PullPlan,
  { signal, ahead }: Way,
): Promise<Asked> {
  const asked = ahead?.page.take(wanted);
  if (asked === undefined) {
    const page = await deps.transport.pull(namespace, wanted, signal);
    return { plan: wanted, page, aboveSeq: 0 };
  }
  signal.addEventListener("abort", asked.abort, { once: true });
  const page = await asked.answer;
  signal.removeEventListener("abort", asked.abort);
  return { plan: asked.plan, page, aboveSeq: asked.aboveSeq };
}

function pullFailed(
  { store }: ExchangeDeps,
  namespace: NamespaceId,
  plan: PullPlan,
  failure: Failure,
): Happening {
  return (
    foreignFork(store, namespace, { lane: "pull", plan, failure }) ?? {
      kind: "failed",
      lane: "pull",
      failure,
    }
  );
}

/** What failed, and as which writer it was asked. */
interface Asking {
  readonly lane: "pull" | "heal";
  readonly plan: PullPlan;
  readonly failure: Failure;
}

function foreignFork(
  store: Pick<ExchangeDeps["store"], "takePosition">,
  namespace: NamespaceId,
  { lane, plan, failure }: Asking,
): Happening | undefined {
  if (failure.code !== "writer-foreign") return undefined;
  const { ackedAtRequest, writer } = plan;
  const taken = store.takePosition(namespace, ackedAtRequest, foreignPosition(plan), writer);
  return taken.kind === "fork" ? { kind: "fork", lane, cause: taken.cause } : undefined;
}

/**
 * Heals the namespace; the counts are told before the answer goes on. A server that lost the end of
 * an encrypted namespace's log has that again before any record that is sealed under it (EE20): else
 * the next admin's device would take the log another way, and nobody could read those records.
 */
export async function exchangeHeal(
  deps: ExchangeDeps & { readonly onHealed: (counts: HealCounts) => void },
  namespace: NamespaceId,
  signal: AbortSignal,
): Promise<Exchanged> {
  const unread = await deps.keys?.refresh(namespace, signal);
  if (signal.aborted) return undefined;
  if (unread !== undefined) return { kind: "failed", lane: "heal", failure: unread };
  const plan = deps.store.planPull(namespace);
  const healed = await healNamespace(deps, namespace, signal);
  if (!healed.ok) {
    const { error: failure } = healed;
    // Where the histories differ no pull ever comes to ask about the writer (CH4).
    const fork = plan && foreignFork(deps.store, namespace, { lane: "heal", plan, failure });
    return fork ?? { kind: "failed", lane: "heal", failure };
  }
  deps.onHealed(healed.value);
  return { kind: "heal-answered", left: healed.value.ahead + healed.value.refused };
}
