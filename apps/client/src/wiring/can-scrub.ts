import type { Home } from "./home.ts";
import { UserError } from "./user-error.ts";

/**
 * Whether there are settings to scrub by, which are those of now and not of the start (CP97). A program
 * without anybody to tell it to leaves what it would write for later where there are none.
 */
export function canScrub(home: Pick<Home, "followSettings" | "scrubControl" | "log">): boolean {
  try {
    home.followSettings();
    home.scrubControl();
    return true;
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause;
    home.log.warn("scrub-settings-broken");
    return false;
  }
}
