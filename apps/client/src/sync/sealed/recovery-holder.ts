import { base32, parseLogBody, type LogKeys, type Sha256 } from "@tidemark/protocol";
import type { Holder } from "./own-keys.ts";
import { unverifiedText } from "./signed-text.ts";

/** Makes the keys of a device from 32 bytes. */
export type HolderOf = (
  seed: Uint8Array,
  who: { readonly device: string; readonly user: string },
) => Holder;

const prefix = "rec_";
const idChars = 26;

/**
 * The device that a recovery code stands for: its keys follow from the code, and a log lets it in like
 * any other. Whoever has the code can open the namespace and let a device in (EE16).
 */
export function recoveryHolder(
  { sha256, holderOf }: { readonly sha256: Sha256; readonly holderOf: HolderOf },
  code: Uint8Array,
  user: string,
): Holder {
  const text = Buffer.from(code).toString("hex");
  const device = `${prefix}${base32(sha256(`tidemark recovery id 1\n${text}`)).slice(0, idChars)}`;
  return holderOf(sha256(`tidemark recovery key 1\n${text}`), { device, user });
}

/** Whether a device of a log is one that a recovery code stands for. */
export function isRecovery(device: string): boolean {
  return device.startsWith(prefix);
}

/** What stands in a log, which was believed, for the recovery codes that open its namespace. */
export function recoveryCodes(entries: readonly string[]): readonly LogKeys[] {
  const codes = new Map<string, LogKeys>();
  for (const entry of entries) {
    const body = parseLogBody(unverifiedText(entry));
    if (body?.kind === "admit" && isRecovery(body.keys.device)) {
      codes.set(body.keys.device, body.keys);
    }
    if (body?.kind === "remove") codes.delete(body.device);
  }
  return [...codes.values()];
}
