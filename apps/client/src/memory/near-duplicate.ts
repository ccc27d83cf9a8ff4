import type { RecordId } from "@tidemark/protocol";
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
  readonly project: string;
  readonly kind: string;
  readonly title: string;
  readonly narrative: string;
}

/**
 * The observation of the same project that says what a new one says (CP34): its title is the same
 * but for case and marks, and, of what is told in words, its story nearly so or the kind is one
 * that a newer telling replaces.
 */
export function nearDuplicateOf(
  reads: Pick<AgentReads, "list">,
  told: Told,
): NearDuplicate | undefined {
  const isCounted = countedKinds.has(told.kind);
  if (!isCounted && !renewedKinds.has(told.kind)) return undefined;
  const { project, kind } = told;
  const title = plainWords(told.title);
  const earlier = reads
    .list({ project, kinds: [kind], limit: lookedAtMax })
    .find((each) => each.id !== told.id && plainWords(each.title) === title);
  if (earlier === undefined || earlier.pinned) return undefined;
  return { earlier, becomes: isCounted ? "counted" : "renewed" };
}

function plainWords(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ");
}
