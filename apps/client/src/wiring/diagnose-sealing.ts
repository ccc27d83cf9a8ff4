import { counted } from "../surfaces/cli/render/text.ts";
import type { Check } from "./diagnose.ts";
import type { Memory } from "./memory.ts";

/** Whether the keys of encrypted namespaces are here, and their logs believed; nothing where there is none. */
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
    const { missing, count } = reads.closedRecords(namespace);
    if (count === 0) return [{ name: check, status: "PASS", message: "here", fix: "" }];
    const message = `of ${sealing.epoch} not here: ${missing.join(", ")}; values in ${counted(count, "record")} stay sealed`;
    const fix = `tidemark sync where they are, then here; or tidemark namespace recover ${namespace}`;
    return [{ name: check, status: "WARN", message, fix }];
  });
}
