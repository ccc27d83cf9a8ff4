import { isEncryptedId, type LogKeys, type NamespaceId } from "@tidemark/protocol";
import { safeText } from "../../platform/terminal.ts";
import type { Store } from "../../store/store.ts";
import { recoveryCodes } from "../../sync/sealed/recovery-holder.ts";
import type { CliDeps } from "./deps.ts";

/**
 * Takes devices out of the encrypted namespaces among these, so that what is written from now on they
 * have no key of (EE19). Gives a line for each where that did not come about, or no recovery code is left.
 */
export async function endKeys(
  deps: CliDeps,
  namespaces: readonly NamespaceId[],
  isMeant: (device: LogKeys) => boolean,
): Promise<readonly string[]> {
  const encrypted = namespaces.filter((namespace) => isEncryptedId(namespace));
  if (encrypted.length === 0) return [];
  const { store } = deps.memory();
  const keeper = (await deps.server()).keeper(store);
  const notes: string[] = [];
  for (const namespace of encrypted) {
    const done = await keeper.shutOut(namespace, isMeant, deps.signal);
    const name = safeText(store.replicas.replica(namespace)?.name ?? namespace);
    if (done.ok) {
      if (done.value > 0) notes.push(...codeNote(store, { namespace, name }, isMeant));
      continue;
    }
    const why = safeText(done.error.message);
    notes.push(`warning: ${name} has no new key yet: ${why}; ${nextStep(store, namespace)}`);
  }
  return notes;
}

/**
 * What is true of the encrypted namespaces among these where the device that is shut out is this one:
 * the server hears it no more, so it makes no key.
 */
export function keysWithoutThis(
  deps: Pick<CliDeps, "memory">,
  namespaces: readonly NamespaceId[],
): readonly string[] {
  const { replicas } = deps.memory().store;
  const names = namespaces
    .filter((namespace) => isEncryptedId(namespace))
    .map((namespace) => replicas.replica(namespace)?.name ?? namespace);
  if (names.length === 0) return [];
  return [
    `warning: this device cannot begin a new key of ${safeText(names.join(", "))} any more: the next sync of another device that lets others in does`,
  ];
}

/**
 * The code of whom somebody shuts out goes with them, and stays where it may be the last to open a
 * key (EE33).
 */
function codeNote(
  { replicas }: Store,
  { namespace, name }: { readonly namespace: NamespaceId; readonly name: string },
  isMeant: (code: LogKeys) => boolean,
): readonly string[] {
  const renew = `tidemark namespace rotate ${namespace} --recovery-code`;
  const codes = recoveryCodes(replicas.seenLog(namespace));
  if (codes.length === 0) return [`warning: ${name} has no recovery code now; ${renew} makes one`];
  if (!codes.some((code) => isMeant(code))) return [];
  return [
    `warning: the recovery code of ${name} stays the one that they made, since keys are missing here; once tidemark doctor names none: ${renew}`,
  ];
}

/** A sync shuts out by the newest key alone: by an earlier one only people begin an epoch (EE24). */
function nextStep({ replicas }: Store, namespace: NamespaceId): string {
  if (replicas.sealing(namespace)?.hasKey === true) return "tidemark sync makes one";
  return `once this device has the newest key, tidemark sync makes one; if nobody has it: tidemark namespace rotate ${namespace}`;
}
