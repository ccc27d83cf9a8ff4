import { safeText } from "../../../platform/terminal.ts";

/** What is told of an encrypted namespace's keys. */
export interface ShownSealing {
  readonly epoch: number;
  readonly hasKey: boolean;
  readonly trouble: string | null;
}

/** Why nothing of an encrypted namespace goes in or out on this device, and what to do; empty where all does. */
export function sealingTrouble(
  namespace: string,
  { hasKey, trouble }: ShownSealing,
): readonly string[] {
  if (trouble !== null) {
    return [
      `warning: nothing is sent there: ${safeText(trouble)}`,
      "hint: ask who runs the server; one that was put back to an older copy does this too",
    ];
  }
  if (hasKey) return [];
  return [`encrypted; this device waits for its key: tidemark namespace admit ${namespace}`];
}
