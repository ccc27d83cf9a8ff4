import type { NamespaceId, OpResult } from "@tidemark/protocol";
import type { ReplicaStore } from "../store/replica-store.ts";
import type { Store } from "../store/store.ts";
import { scrubFields } from "./scrub-content.ts";
import type { Scrub } from "./scrub.ts";

/** What mending needs from outside. */
export interface MendDeps {
  readonly store: Store;
  readonly scrub: Scrub;
  /** Whether there are settings to scrub by; where there are none, it is tried with a later answer. */
  readonly canScrub?: (() => boolean) | undefined;
}

/**
 * A store's side of sync that heeds a server which found a secret (SC61): the value is scrubbed
 * once more, with what this device knows by now, and issued anew as if it came late (OP26). Where
 * that changes nothing the op stays refused, so nothing goes round. A program that died before it
 * could do so leaves that to the next one, which looks with its first answer; the server tells of its
 * last push alone (SC81).
 */
export function mendSecrets(deps: MendDeps): ReplicaStore {
  const { replicas } = deps.store;
  /** Namespaces in which nothing was refused since they were looked through. */
  const lookedThrough = new Set<NamespaceId>();
  const mend = (namespace: NamespaceId, results: readonly OpResult[] | undefined): void => {
    if (results?.some(maySettle) === true) lookedThrough.delete(namespace);
    if (lookedThrough.has(namespace)) return;
    if (reissue(deps, namespace)) lookedThrough.add(namespace);
  };
  return {
    ...replicas,
    takePushAnswer: (namespace, plan, answer) => {
      const taken = replicas.takePushAnswer(namespace, plan, answer);
      mend(namespace, answer.results);
      return taken;
    },
    takePosition: (namespace, ackedAtRequest, position, writer) => {
      const taken = replicas.takePosition(namespace, ackedAtRequest, position, writer);
      mend(namespace, position.results);
      return taken;
    },
    takePage: (namespace, plan, page) => {
      const taken = replicas.takePage(namespace, plan, page);
      mend(namespace, page.tail.position?.results);
      return taken;
    },
  };
}

/** Whether an answer tells of a secret, or of what was written over the put that has one (OP29). */
function maySettle(result: OpResult): boolean {
  if (result.result === "unknown-record") return true;
  return result.result === "rejected" && result.code === secretDetected;
}

const secretDetected = "secret-detected";

/** Tells whether nothing is left that another answer may let go. */
function reissue({ store, scrub, canScrub }: MendDeps, namespace: NamespaceId): boolean {
  let isThrough = true;
  const found = store.reads.rejected(namespace).filter(({ code }) => code === secretDetected);
  if (found.length > 0 && canScrub?.() === false) return false;
  for (const op of found) {
    const mended = store.changes.mendRejected(op, (fields) => {
      const again = scrubFields(scrub, fields);
      return again.ok ? again.value : undefined;
    });
    if (!mended.ok && mended.error.kind === "waits") isThrough = false;
  }
  return isThrough;
}
