/** Who came in by a link of this device, and whether the link vouches for their key (EE21). */
import type { KeysAnswer, LinkState } from "@tidemark/protocol/wire";
import { base64url } from "jose";
import { linkMac } from "../access/link-secrets.ts";
import { statedKeys, type DeviceKeys } from "./device-statement.ts";
import { letIn, type OpenLog } from "./letting-in.ts";
import type { Joined, KeptLink } from "./link-book.ts";
import type { SealedParts } from "./own-keys.ts";
import { isRecovery } from "./recovery-holder.ts";

/** How long the other device's key for wraps is waited for once it came in. */
const soonMs = 120_000;

/** Asks what became of the links that this device made, until it knows. */
export async function learnWhoJoined(parts: SealedParts, signal: AbortSignal): Promise<void> {
  const { links, api } = parts;
  for (const link of links.links()) {
    if (link.side !== "made" || link.joined !== undefined || signal.aborted) continue;
    const state = await api.linkState(link.id, signal);
    if (!state.ok) continue;
    if (state.value.status === "expired") links.drop(link.id);
    if (state.value.device === undefined) continue;
    const joined = joinedBy(parts, link, state.value);
    const soonUntilMs = links.nowMs() + (link.isOpening ? soonMs : 0);
    links.change(link.id, { joined, soonUntilMs });
  }
}

function joinedBy(
  { hmacSha256 }: Pick<SealedParts, "hmacSha256">,
  { binding, server }: KeptLink,
  { device, mac }: LinkState,
): Joined {
  const { id = "", name = "", joinedName = "", thumbprint = "" } = device ?? {};
  const said = { thumbprint, name: joinedName, serverId: server };
  const wanted = linkMac({ hmacSha256 }, base64url.decode(binding), said);
  return { device: id, name, thumbprint, isVouched: mac === wanted };
}

/**
 * Lets in whom this device's links vouch for, without anybody comparing fingerprints: the newcomer
 * has proven by the link's secret which key is its own, and states all else by that key. Gives the
 * log as it stands then.
 */
export async function letInVouched(
  parts: SealedParts,
  open: OpenLog,
  { devices }: KeysAnswer,
  signal: AbortSignal,
): Promise<OpenLog> {
  let now = open;
  if (!isIn(parts, open)) return now;
  for (const joined of vouchedFor(parts)) {
    const told = devices.find(({ id }) => id === joined.device);
    const keys = told === undefined ? undefined : await statedKeys(told);
    if (keys === undefined || !isMeant(parts, now, { keys, joined })) continue;
    const done = await letIn(parts, now, keys, signal);
    // Whatever came in between: the next `hello` looks once more.
    if (!done.ok || done.value.held === undefined) return now;
    now = { log: done.value.log, held: done.value.held };
  }
  return now;
}

/** Whom a link vouches for that this device made, and that opens what it has. */
function vouchedFor({ links }: SealedParts): readonly Joined[] {
  const opening = links.links().filter(({ side, isOpening }) => side === "made" && isOpening);
  return opening.flatMap(({ joined }) => (joined?.isVouched === true ? [joined] : []));
}

function isIn({ self }: SealedParts, { log }: OpenLog): boolean {
  return log.devices.get(self.keys.device)?.isRemoved === false;
}

/** A device of the same person that never was in, with the very key that the link vouches for. */
function isMeant(
  parts: SealedParts,
  { log }: OpenLog,
  { keys, joined }: { readonly keys: DeviceKeys; readonly joined: Joined },
): boolean {
  if (isRecovery(keys.device) || log.devices.has(keys.device)) return false;
  return keys.user === parts.self.keys.user && parts.thumbprint(keys.sig) === joined.thumbprint;
}
