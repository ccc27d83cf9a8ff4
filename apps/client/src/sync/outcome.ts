import type { NamespaceId } from "@tidemark/protocol";
import type { Replica } from "../store/replica-store.ts";
import type { State } from "./machine/state.ts";
import type { Failure } from "./transport.ts";

/** How the sync of one namespace ended. */
export interface NamespaceOutcome {
  readonly namespace: NamespaceId;
  readonly name: string;
  /** Whether nothing is left that a sync could do; refused changes are left to a person. */
  readonly isDone: boolean;
  readonly unsent: number;
  readonly unverified: number;
  /** Refused for good: a person retries or drops them; no sync can. */
  readonly rejected: number;
  readonly needsHeal: boolean;
  readonly state: State["kind"];
  /** Why it is not done, where a request failed. */
  readonly failure: Pick<Failure, "code" | "title"> | undefined;
}

/** How far a pull or a heal is. */
export interface Work {
  readonly kind: "pull" | "heal";
  /** The `seq` that was reached of the head; or parts compared of those that differ. */
  readonly done: number;
  readonly total: number;
}

/** How one namespace stands while it is synced. */
export interface NamespaceProgress extends NamespaceOutcome {
  readonly work: Work | undefined;
}

/** How a one-shot sync ended. */
export interface SyncOutcome {
  readonly isDone: boolean;
  /** Why nothing could be started at all. */
  readonly failure: Failure | undefined;
  readonly namespaces: readonly NamespaceOutcome[];
}

/**
 * Judges one namespace by what its store holds, not by how the requests went (EN10): done means
 * sent, seen again in a verified pull, and no heal due.
 */
export function outcomeOf(
  replica: Replica,
  state: State["kind"],
  failure: Failure | undefined,
): NamespaceOutcome {
  const { namespace, name, unsent, unverified, rejected, needsHeal } = replica;
  const hasNothingOpen = unsent === 0 && unverified === 0;
  const isVerified = replica.verified && !needsHeal;
  const isParked = replica.status === "parked";
  const isDone = hasNothingOpen && (isParked || isVerified);
  // Where it is parked no request stands in the way, and the last one's failure says less.
  const why = isDone || isParked ? undefined : failure;
  return {
    namespace,
    name,
    isDone,
    unsent,
    unverified,
    rejected,
    needsHeal,
    state: isParked ? "parked" : state,
    failure: why === undefined ? undefined : { code: why.code, title: why.title },
  };
}
