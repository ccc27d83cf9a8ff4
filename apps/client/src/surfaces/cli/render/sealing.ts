import { safeText } from "../../../platform/terminal.ts";
import { counted } from "./text.ts";

/** What is told of an encrypted namespace's keys. */
export interface ShownSealing {
  readonly epoch: number;
  readonly hasKey: boolean;
  /** Epochs whose keys are not here, and how many records are sealed under them. */
  readonly missing: readonly number[];
  readonly closed: number;
  readonly trouble: string | null;
}

/** Why nothing of an encrypted namespace goes in or out on this device, and what to do; empty where all does. */
export function sealingTrouble(
  namespace: string,
  { hasKey, trouble }: Pick<ShownSealing, "hasKey" | "trouble">,
): readonly string[] {
  if (trouble !== null) {
    return [
      `warning: nothing is sent there: ${safeText(trouble)}`,
      `hint: ${wayFromOtherLog(namespace)}`,
    ];
  }
  if (hasKey) return [];
  return [`encrypted; this device waits for its key: ${askForKey(namespace)}`];
}

/** The command by which a person asks for a key here, and lets a device in elsewhere. */
export function askForKey(namespace: string): string {
  return `tidemark namespace admit ${namespace}`;
}

/** What to do where a log is not believed: no machine can tell which of two is the true one (EE29). */
export function wayFromOtherLog(namespace: string): string {
  return (
    "ask who runs the server whether it was put back to an older copy; if so, what is here goes on in a new home: " +
    `tidemark export --namespace ${namespace} --output FILE, set TIDEMARK_HOME to an empty folder, pair there by a link of a device that syncs it, tidemark import FILE --namespace ${namespace} --differing newer`
  );
}

/** What a device that goes on by the newest key does not show for want of earlier ones (EE28). */
export function closedNote(
  namespace: string,
  { missing, closed }: Pick<ShownSealing, "missing" | "closed">,
): readonly string[] {
  if (closed === 0) return [];
  const isOne = missing.length === 1;
  const lack = `${isOne ? "key" : "keys"} ${missing.join(", ")} ${isOne ? "is" : "are"} not here`;
  return [
    `warning: ${lack}: what is sealed under ${isOne ? "it" : "them"} is not shown, in ${counted(closed, "record")}`,
    `hint: ${waysToKeys(namespace)}`,
  ];
}

/** How a device that has the newest key comes by earlier ones. */
export function waysToKeys(namespace: string): string {
  return `a device that has the key hands it out by \`tidemark sync\`; the recovery code may open it too: tidemark namespace recover ${namespace}`;
}
