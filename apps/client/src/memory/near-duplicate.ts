import type { NamespaceId, RecordId } from "@tidemark/protocol";
import type { Origin } from "../capture/draft.ts";
import type { AgentReads } from "../store/reads/agent-reads.ts";
import type { Observation } from "../store/observation.ts";

/** Observations of a kind and project that are looked through, the newest of them. */
const lookedAtMax = 100;

/** What is told once and stays true: another sight of it is counted, not kept again. */
const countedKinds: ReadonlySet<string> = new Set(["command"]);

/** What is told anew takes the place of what was told before. */
const renewedKinds: ReadonlySet<string> = new Set(["fix", "failure", "discovery", "decision"]);

/** An observation that tells the same as a new one, and what is to become of the two. */
export interface NearDuplicate {
  readonly earlier: Observation;
  readonly becomes: "counted" | "renewed";
}

/** What a new observation would be. */
export interface Told {
  readonly id: RecordId;
  readonly namespace: NamespaceId;
  readonly origin: Origin;
  readonly project: string;
  readonly kind: string;
  readonly title: string;
}

/**
 * The observation of the same project that says what a new one says: its title is the same but for
 * case and marks (CP34). What a page or a tool says never takes the place of what a person said, so
 * both come from the same origin; and what takes another's place lies in the same namespace.
 */
export function nearDuplicateOf(
  reads: Pick<AgentReads, "list">,
  told: Told,
): NearDuplicate | undefined {
  const isCounted = countedKinds.has(told.kind);
  if (!isCounted && !renewedKinds.has(told.kind)) return undefined;
  const { project, kind, namespace, origin } = told;
  const title = plainWords(told.title);
  const earlier = reads
    .list({
      project,
      kinds: [kind],
      origins: [origin],
      namespaces: [namespace],
      limit: lookedAtMax,
    })
    .find((each) => each.id !== told.id && plainWords(each.title) === title);
  if (earlier === undefined) return undefined;
  return { earlier, becomes: isCounted ? "counted" : "renewed" };
}

function plainWords(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ");
}
