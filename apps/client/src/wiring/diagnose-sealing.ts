import { recoveryCodes } from "../sync/sealed/recovery-holder.ts";
import { counted } from "../surfaces/cli/render/text.ts";
import type { Check } from "./diagnose.ts";
import type { Memory } from "./memory.ts";

/**
 * Whether the keys of encrypted namespaces are here, their logs believed, and recovery codes there;
 * nothing where there is no such namespace.
 */
export function checkSealing({ store: { replicas, reads } }: Memory): readonly Check[] {
  return replicas.replicas().flatMap(({ namespace, name, status }): readonly Check[] => {
    const sealing = status === "active" ? replicas.sealing(namespace) : undefined;
    if (sealing === undefined) return [];
    const check = `keys of ${name}`;
    if (sealing.trouble !== undefined) {
      const fix =
        "ask who runs the server whether it was put back; tidemark status says the way on";
      return [{ name: check, status: "FAIL", message: sealing.trouble, fix }];
    }
    if (!sealing.hasKey) {
      const fix = `tidemark namespace admit ${namespace}`;
      return [{ name: check, status: "WARN", message: "this device waits for them", fix }];
    }
    const codes = checkCode({ namespace, name }, replicas.seenLog(namespace));
    const { missing, count } = reads.closedRecords(namespace);
    if (count === 0) return [{ name: check, status: "PASS", message: "here", fix: "" }, ...codes];
    const message = `of ${sealing.epoch} not here: ${missing.join(", ")}; values in ${counted(count, "record")} stay sealed`;
    const fix = `tidemark sync where they are, then here; or tidemark namespace recover ${namespace}`;
    return [{ name: check, status: "WARN", message, fix }, ...codes];
  });
}

/** A namespace whose making was cut off may be without a recovery code, and nobody was told (EE33). */
function checkCode(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  log: readonly string[],
): readonly Check[] {
  if (log.length === 0 || recoveryCodes(log).length > 0) return [];
  const fix = `on an admin's device: tidemark namespace rotate ${namespace} --recovery-code`;
  return [{ name: `recovery code of ${name}`, status: "WARN", message: "there is none", fix }];
}
