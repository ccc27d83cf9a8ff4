import { writeFileSync } from "node:fs";

/**
 * Keeps this process's memory out of core dumps, so that a crash leaves no key and no token on the
 * disk (OPS49). Linux leaves out what the filter does not name, also where a core goes to a
 * program such as systemd-coredump, which a limit of zero bytes does not stop. Node has no call
 * for that limit; macOS begins with it at zero, and Windows writes no dumps of itself.
 */
export function forbidCore(): void {
  if (process.platform !== "linux") return;
  try {
    writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // A container may show /proc read-only; then its limits say what is written.
  }
}
