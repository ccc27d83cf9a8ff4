import { builtin } from "./builtin.ts";
import type { Environment } from "./paths.ts";

/**
 * Starts a Node program that outlives this one, with this very runtime (a `node` of the PATH may
 * have another ABI). Its input and outputs are closed, so that no host waits for them.
 *
 * Gives false when the system refuses; that is never a reason to fail.
 */
export function spawnDetached(program: string, args: readonly string[], env: Environment): boolean {
  try {
    const child = builtin.childProcess().spawn(process.execPath, [program, ...args], {
      detached: true,
      stdio: "ignore",
      env: { ...env },
      windowsHide: true,
    });
    child.on("error", () => undefined);
    child.unref();
    return child.pid !== undefined;
  } catch {
    return false;
  }
}
