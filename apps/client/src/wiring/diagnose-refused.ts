import { counted } from "../surfaces/cli/render/text.ts";
import type { Check } from "./diagnose.ts";
import type { Memory } from "./memory.ts";

/** Changes that the server refused, by namespace (CL83); nothing where there is none. */
export function checkRefused({ store: { replicas } }: Memory): readonly Check[] {
  const refused = replicas.replicas().filter(({ rejected }) => rejected > 0);
  if (refused.length === 0) return [];
  const message = refused
    .map(({ name, rejected }) => `${name}: ${counted(rejected, "change")} refused by the server`)
    .join("; ");
  const fix = "tidemark rejected says why; then tidemark rejected retry, or drop";
  return [{ name: "changes", status: "WARN", message, fix }];
}
