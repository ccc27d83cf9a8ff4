import { systemClock } from "../platform/clock.ts";
import type { Store } from "../store/store.ts";
import { createLinkBook, type Joined } from "../sync/sealed/link-book.ts";
import type { Check } from "./diagnose.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";

/** Devices that came in by links of this one, under keys that the links do not vouch for (EE21). */
export function unvouchedDevices(
  { upkeep }: Pick<Store, "upkeep">,
  home: Home,
): readonly Pick<Joined, "device" | "name">[] {
  const serverId = home.identity()?.server.id;
  if (serverId === undefined) return [];
  const book = createLinkBook({ facts: upkeep, clock: systemClock, serverId });
  return book.links().flatMap(({ joined }) => {
    if (joined === undefined || joined.isVouched) return [];
    return [{ device: joined.device, name: joined.name }];
  });
}

/** Whether this device came in by a link, and may get keys from the device that made it (EE22). */
export function isByLink({ upkeep }: Pick<Store, "upkeep">, home: Home): boolean {
  const serverId = home.identity()?.server.id;
  if (serverId === undefined) return false;
  const book = createLinkBook({ facts: upkeep, clock: systemClock, serverId });
  return book.links().some(({ side }) => side === "opened");
}

/** What is said of such a device. */
export function unvouchedText(name: string): string {
  return `${name} came in by a link of this device under a key that the link does not vouch for`;
}

/** One check for each such device; nothing where there is none. */
export function checkLinks({ store }: Memory, home: Home): readonly Check[] {
  return unvouchedDevices(store, home).map(({ device, name }) => ({
    name: "pairing links",
    status: "FAIL",
    message: `${unvouchedText(name)}: the server may have put it there`,
    fix: `tidemark device revoke ${device}`,
  }));
}
