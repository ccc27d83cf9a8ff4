import {
  collections,
  fail,
  ok,
  type JsonObject,
  type NamespaceId,
  type RecordId,
  type Result,
} from "@tidemark/protocol";
import { handedText } from "../memory/summary/handed.ts";
import { summaryId, type Source } from "../memory/summary/keep.ts";
import type { SummaryTrouble } from "../memory/summary/trouble.ts";
import { heldWhy } from "../recall/held.ts";
import { ownNamespaces, recallNamespaces } from "../recall/scope.ts";
import type { Observation } from "../store/observation.ts";
import type { RecordView } from "../store/store.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";

/** Below this trust nothing is handed over; what is in quarantine has none. */
const trustMin = 2;

/** What is handed to the summariser of one session. */
export interface Handed {
  readonly session: RecordView;
  readonly text: string;
  /** What it was made of. */
  readonly sources: readonly Source[];
}

/** Sessions that have ended, in namespaces that only this person writes to; the last first. */
export function endedSessions({ store }: Memory): readonly RecordView[] {
  const own = writable(store);
  return store.reads
    .records(collections.session, own)
    .filter(({ fields }) => endedAt(fields) > 0)
    .toSorted((left, right) => endedAt(right.fields) - endedAt(left.fields));
}

/** One's own, but for those that one has left: what is made of a session is stored beside it (SM10). */
function writable({ replicas }: Memory["store"]): readonly NamespaceId[] {
  const all = replicas.replicas();
  const own = ownNamespaces(all);
  return recallNamespaces(all).filter((namespace) => own.has(namespace));
}

/** When a session ended, in milliseconds; 0 where it has not. */
export function endedAt({ endedAt: at }: JsonObject): number {
  return typeof at === "number" ? at : 0;
}

/** The summary that a session has already, or had until it was forgotten. */
export function knownSummary(
  { store, sha256 }: Memory,
  session: RecordView,
): { readonly id: RecordId; readonly isForgotten: boolean } | undefined {
  const id = summaryId(sha256, session.id);
  const found = store.reads.find(id);
  if (found.ok) return { id, isForgotten: false };
  return found.error.kind === "forgotten" ? { id, isForgotten: true } : undefined;
}

/** What would be handed over (SM3): a person's own words alone, of which enough is known. */
export function handedOf(
  home: Pick<Home, "identity">,
  memory: Memory,
  session: RecordView,
): Result<Handed, SummaryTrouble> {
  const { store } = memory;
  const replicas = store.replicas.replicas();
  const isOwn = ownNamespaces(replicas).has(session.namespace);
  if (!isOwn || session.trust < trustMin) {
    return fail({
      code: "summary-not-own",
      message: "this session is not yours alone, so nothing of it is handed to a summariser",
      hint: "tidemark summarise, without a session, takes the last one of your own",
    });
  }
  if (!recallNamespaces(replicas).includes(session.namespace)) {
    return fail({
      code: "summary-left",
      message:
        "this session is of a namespace that you have left, so no summary of it can be stored",
      hint: "tidemark summarise, without a session, takes the last one of your own",
    });
  }
  const summary = summaryId(memory.sha256, session.id);
  const told = store.reads
    .list({ namespaces: [session.namespace], session: session.id, order: "oldest" })
    .filter((each) => each.id !== summary && mayBeHanded(home, each));
  if (told.length === 0) {
    return fail({
      code: "nothing-to-summarise",
      message: "this session left nothing that could be summed up",
      hint: "tidemark list --json names the session of each observation",
    });
  }
  const text = handedText(memory, session.fields, told);
  return ok({ session, text, sources: told });
}

function mayBeHanded(home: Pick<Home, "identity">, observation: Observation): boolean {
  const user = home.identity()?.user.name ?? null;
  const { author, editedBy, trust } = observation;
  const writers = [author.user, editedBy?.user ?? null];
  const isOwn = writers.every((writer) => writer === null || writer === user);
  if (!isOwn || trust < trustMin) return false;
  return heldWhy({ observation, factsOnly: false, charsMax: Infinity }) === undefined;
}
