import { isAtLeast, type DeviceId, type Role, type UserId } from "@tidemark/protocol";

/** What a word on a quarantine is judged on, in one namespace. */
export interface QuarantineFacts {
  /** Undefined where the asking person is no member. */
  readonly role: Role | undefined;
  readonly asking: { readonly device: DeviceId; readonly user: UserId };
  /** The device that is under suspicion, or is to be. */
  readonly suspect: { readonly device: DeviceId; readonly user: UserId };
  /** Who set the quarantine that there is. */
  readonly setBy: UserId | undefined;
}

/**
 * Whether somebody may set, change or lift a quarantine in a namespace (QU3): its admins and owners
 * for any device, everybody for devices of their own unless somebody else has set it there; and no
 * device for itself, for whoever holds a stolen one would lift it first of all.
 */
export function mayQuarantine({ role, asking, suspect, setBy }: QuarantineFacts): boolean {
  if (role === undefined || asking.device === suspect.device) return false;
  if (isAtLeast(role, "admin")) return true;
  return asking.user === suspect.user && (setBy === undefined || setBy === asking.user);
}
