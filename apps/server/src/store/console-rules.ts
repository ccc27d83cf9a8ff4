import type { DeviceId } from "@tidemark/protocol";
import type { Named } from "@tidemark/protocol/wire";
import { serverLimits } from "../limits.ts";
import type { AuditEntry } from "./audit-chain.ts";
import { doneBy, type Doer } from "./audit-entries.ts";
import type { ConsoleSession } from "./console-port.ts";

const { idleMs, ofDeviceMax } = serverLimits.console;

/** Sessions that one device may have open; the oldest gives way. */
export const sessionsOfDeviceMax = ofDeviceMax;
/** How much later a use has to be than the last one to be written down, in milliseconds. */
export const noteEveryMs = 60_000;

/** Whether nobody has used a session for so long that it is over (CO2). */
export function isIdle(seenAtMs: number, nowMs: number): boolean {
  return nowMs - seenAtMs >= idleMs;
}

/** A browser that was signed in: its person's own log tells of it. */
export function consoleOpenedEntry(
  { user, device }: ConsoleSession,
  network: string | undefined,
): AuditEntry {
  const by: Doer = { user: user.id, device: device.id, network };
  return {
    event: "console-opened",
    actorUser: by.user,
    actorDevice: by.device,
    network,
    aboutUser: by.user,
    target: device.id,
    details: { name: device.name },
  };
}

/** An account that a person has connected, or ended. */
export function identityEntry(
  event: "identity-connected" | "identity-disconnected",
  by: Doer,
  actor: Named<DeviceId> & { readonly issuer: string },
): AuditEntry {
  const { id: target, name, issuer } = actor;
  return { event, ...doneBy(by), aboutUser: by.user, target, details: { name, issuer } };
}
