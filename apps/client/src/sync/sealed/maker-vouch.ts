/** What the device that made a link vouches for: its own keys, to whoever comes in by it (EE22). */
import type { LogState } from "@tidemark/protocol";
import type { KeysAnswer } from "@tidemark/protocol/wire";
import { base64url } from "jose";
import { readStatement, type DeviceKeys, type StatedVouch } from "./device-statement.ts";
import type { KeptLink } from "./link-book.ts";
import type { SealedParts } from "./own-keys.ts";

type Parts = Pick<SealedParts, "hmacSha256" | "links">;

/** Links of which a statement speaks; it is no longer than a server takes. */
const vouchesMax = 8;

/** What this device's statement says to those who come in by its links. */
export function makerVouches(parts: Parts, keys: DeviceKeys): readonly StatedVouch[] {
  return madeLinks(parts)
    .slice(-vouchesMax)
    .map((link) => ({ link: link.id, mac: makerMac(parts, link, keys) }));
}

/** Links of this device that the server has not been told of. */
export function untoldLinks(parts: Parts): readonly KeptLink[] {
  return madeLinks(parts)
    .slice(-vouchesMax)
    .filter(({ isTold }) => isTold !== true);
}

function madeLinks({ links }: Parts): readonly KeptLink[] {
  return links.links().filter(({ side, isOpening }) => side === "made" && isOpening);
}

/**
 * Whether this device was let in, by this log, by the one whose link it came in by. Typing the link
 * in was the asking for what that device lets it in to, and for nothing else (EE17): the entry is
 * signed by a key for which somebody vouches who has the link's secret, which no server has.
 */
export async function isLetInByMaker(
  parts: Parts & Pick<SealedParts, "self">,
  log: LogState,
  { devices }: Pick<KeysAnswer, "devices">,
): Promise<boolean> {
  const opened = parts.links.links().filter(({ side }) => side === "opened");
  if (opened.length === 0) return false;
  const { self } = parts;
  const own = log.devices.get(self.keys.device);
  const maker = own === undefined || own.isRemoved ? undefined : log.devices.get(own.by);
  if (maker === undefined || maker.isRemoved || maker.user !== self.keys.user) return false;
  const told = devices.find(({ id }) => id === maker.device);
  const stated = told === undefined ? undefined : await readStatement(told);
  if (stated === undefined) return false;
  const { device, user, sig, enc } = stated.keys;
  if (sig !== maker.sig || enc !== maker.enc || user !== maker.user) return false;
  const keys = { device, user, sig, enc };
  return opened.some((link) => {
    const mac = makerMac(parts, link, keys);
    return stated.vouches.some((one) => one.link === link.id && one.mac === mac);
  });
}

function makerMac(
  { hmacSha256 }: Pick<Parts, "hmacSha256">,
  { id, server, binding }: KeptLink,
  { device, user, sig, enc }: DeviceKeys,
): string {
  // Never what a newcomer's mac is over (`linkMac`): that begins with a thumbprint.
  const text = JSON.stringify(["tidemark link maker 1", server, id, device, user, sig, enc]);
  return base64url.encode(hmacSha256(base64url.decode(binding), text));
}
