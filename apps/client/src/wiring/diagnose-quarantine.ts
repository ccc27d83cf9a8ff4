import { counted } from "../surfaces/cli/render/text.ts";
import type { Check } from "./diagnose.ts";
import type { Memory } from "./memory.ts";

/** Devices whose words are hidden here (QU5); nothing where there is none. */
export function checkQuarantine({ store }: Memory): readonly Check[] {
  const views = store.reads.quarantines();
  if (views.length === 0) return [];
  const devices = new Set(views.map(({ device }) => device)).size;
  const hidden = views.reduce((sum, view) => sum + view.hidden.length, 0);
  const message = `${counted(hidden, "observation")} of ${counted(devices, "device")} hidden, which somebody suspects`;
  return [{ name: "quarantine", status: "WARN", message, fix: "tidemark quarantine" }];
}
