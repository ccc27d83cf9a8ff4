/** Links by which people's further devices came in, and what they vouch for (EE21, EE22). */
import { sha256, hmacSha256 } from "../../apps/client/src/platform/hash.ts";
import { linkMac } from "../../apps/client/src/sync/access/link-secrets.ts";
import { createLinkBook } from "../../apps/client/src/sync/sealed/link-book.ts";
import type { Identity, SimDevice } from "./sim-device.ts";
import type { World } from "./world.ts";

/** The link by which a device came in. */
export function linkOf(device: string): string {
  return `link-of-${device}`;
}

/** What the server keeps of a newcomer's proof that it has the link's secret. */
export function macOf(serverId: string, { id, key }: Identity, name: string): string {
  const { thumbprint } = key;
  return linkMac({ hmacSha256 }, bindingOf(id), { thumbprint, name, serverId });
}

/** What only the two devices of the link have. */
function bindingOf(device: string): Uint8Array {
  return sha256(`secret of ${device}`);
}

/**
 * Has the devices keep their links, as pairing them does. Every second newcomer only: the others were
 * let in by a code, so that people have to compare fingerprints.
 */
export async function keepLinks({ cast, devices, server }: World): Promise<void> {
  const { id: serverId } = await server.accounts.server(() => "srv_sim");
  for (const [first, ...others] of cast.people.map((person) => person.devices)) {
    for (const { id } of others.filter((_, at) => at % 2 === 0)) {
      keepLink(devices, serverId, { device: first?.id, link: id, side: "made" });
      keepLink(devices, serverId, { device: id, link: id, side: "opened" });
    }
  }
}

function keepLink(
  devices: readonly SimDevice[],
  serverId: string,
  kept: {
    readonly device: string | undefined;
    readonly link: string;
    readonly side: "made" | "opened";
  },
): void {
  const device = devices.find(({ identity }) => identity.id === kept.device);
  if (device === undefined) return;
  const facts = device.writer().store.upkeep;
  const { side, link } = kept;
  const binding = bindingOf(link);
  const lifeMs = side === "made" ? 600_000 : 0;
  createLinkBook({ facts, clock: device.clock, serverId }).keep({
    id: linkOf(link),
    side,
    binding,
    lifeMs,
  });
}
