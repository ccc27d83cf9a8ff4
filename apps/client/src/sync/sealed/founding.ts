import { encryptedNamespaceId, fail, ok } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import { accessError, type Done } from "../access/access-error.ts";
import { commitOf, keyBytes, nonceBytes } from "./epoch-key.ts";
import { wrapsFor } from "./handed-keys.ts";
import { signGenesis } from "./log-entries.ts";
import { addEntry, readStanding } from "./log-growth.ts";
import type { Holder, SealedParts } from "./own-keys.ts";
import { noRecoveryCode, unsureNamespace } from "./refusals.ts";

/** What the server is told that an encrypted namespace is called: nothing. */
const label = "encrypted";

/** Makes an encrypted namespace, and lets in the device that its recovery code stands for (EE16). */
export async function foundNamespace(
  parts: SealedParts,
  { name, recovery }: { readonly name: string; readonly recovery: Holder },
  signal: AbortSignal,
): Done<NamespaceInfo> {
  const { self, sha256, random, api } = parts;
  const [key, names] = [random.bytes(keyBytes), random.bytes(keyBytes)];
  const keys = [{ epoch: 1, key, names, name }] as const;
  const signer = { device: self.keys.device, jwk: self.sign };
  const genesis = await signGenesis(signer, {
    kind: "genesis",
    keys: self.keys,
    nonce: Buffer.from(random.bytes(nonceBytes)).toString("hex"),
    commit: commitOf(sha256, keys[0]),
  });
  const namespace = encryptedNamespaceId(sha256, genesis);
  const wraps = await wrapsFor(self, namespace, { keys, to: [self.keys] });
  // Its id follows from what this device has signed: no server can use that it was asked for.
  parts.asked.note(namespace);
  const made = await api.create({ name: label, sealed: { genesis, wraps } }, signal);
  const now = await readStanding(parts, namespace, signal);
  if (!now.ok) {
    if (made.ok) return fail(noRecoveryCode(now.error));
    const why = accessError(made.error);
    const isSure = made.error.family !== "retry" || now.error.code === "not-found";
    return fail(isSure ? why : unsureNamespace(why, namespace));
  }
  const entry = {
    by: self,
    said: { kind: "admit", keys: recovery.keys, role: "admin" },
    wraps: await wrapsFor(self, namespace, { keys, to: [recovery.keys] }),
  } as const;
  const added = await addEntry(parts, now.value.log, entry, signal);
  if (!added.ok) return fail(noRecoveryCode(added.error));
  // Where the answer was lost, the namespace is there all the same.
  const lost = { id: namespace, kind: "team", role: "owner", head: 0 } as const;
  return ok({ ...(made.ok ? made.value : lost), name });
}
