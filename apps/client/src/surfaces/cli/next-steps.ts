import type { NamespaceStatus } from "../../sync/status.ts";
import type { LastFailure } from "../../sync/last-failure.ts";

/** What decides what a person does next. */
export interface Standing {
  readonly isPaired: boolean;
  readonly observations: number;
  readonly lastFailure: LastFailure | null;
  readonly namespaces: readonly (Pick<NamespaceStatus, "name" | "status" | "rejected"> & {
    readonly conflicts: number;
  })[];
  /** Agents on this machine that know nothing of Tidemark, by their titles. */
  readonly untoldAgents: readonly string[];
}

/** The next steps, what stands in the way first (TM3). */
export function nextSteps(standing: Standing): readonly string[] {
  const { isPaired, observations, untoldAgents } = standing;
  const isEmpty = observations === 0;
  return [
    ...troubles(standing),
    ...(untoldAgents.length === 0
      ? []
      : [`let ${untoldAgents.join(", ")} remember and recall: tidemark install`]),
    ...(isEmpty ? ['nothing is remembered yet: tidemark save --title "What was learned"'] : []),
    ...(isPaired
      ? []
      : ["join a server, if you want memory on other devices: tidemark pair <link>"]),
    ...(isEmpty ? [] : ["look for something: tidemark search <words>"]),
    "see all commands: tidemark --help",
  ];
}

function troubles({ isPaired, lastFailure, namespaces }: Standing): readonly string[] {
  const any = (has: (one: Standing["namespaces"][number]) => boolean): boolean =>
    namespaces.some(has);
  const isFailing = isPaired && lastFailure !== null;
  return [
    ...(isFailing ? [failureStep(lastFailure)] : []),
    ...(any(({ rejected }) => rejected > 0) ? ["see what was refused: tidemark rejected"] : []),
    ...(any(({ conflicts }) => conflicts > 0)
      ? ["settle what two devices changed at once: tidemark conflicts"]
      : []),
    ...namespaces
      .filter(({ status }) => status === "parked")
      .map(({ name }) => `you are no longer a member of ${name}; keep its copy: tidemark export`),
  ];
}

function failureStep({ family }: LastFailure): string {
  if (family === "upgrade") return "the server speaks another version: tidemark doctor";
  if (family === "auth") return "the server takes this device no more: tidemark doctor";
  return "the last sync failed, try once more: tidemark sync";
}
