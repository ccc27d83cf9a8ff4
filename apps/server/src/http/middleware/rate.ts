import type { Context } from "hono";
import type { DeviceRow } from "../../store/accounts-port.ts";
import type { AppEnv } from "../app-env.ts";
import { callerAddress } from "../caller.ts";
import { networkOf } from "../network-of.ts";
import type { Parts } from "../parts.ts";
import type { Rate } from "../rate-limiter.ts";

type RateParts = Pick<Parts, "rates" | "isTrustedProxy">;

/** What is limited, and what is known of the caller at this point. */
export interface RatedCall {
  readonly route: string;
  readonly rates: readonly Rate[];
  readonly device: DeviceRow | undefined;
}

/** Milliseconds to wait before the call may be made again; 0 when it may go on (AU12). */
export function rateDelayMs(parts: RateParts, c: Context<AppEnv>, call: RatedCall): number {
  for (const { by, perMinute } of call.rates) {
    const key = keyOf(parts, c, { by, device: call.device });
    if (key === undefined) continue;
    const delayMs = parts.rates.take(`${call.route} ${by} ${key}`, perMinute);
    if (delayMs > 0) return delayMs;
  }
  return 0;
}

/** Undefined where the rate is not for this moment: devices are known only after their check. */
function keyOf(
  parts: RateParts,
  c: Context<AppEnv>,
  call: { readonly by: Rate["by"]; readonly device: DeviceRow | undefined },
): string | undefined {
  const { by, device } = call;
  if (by === "device") return device?.id;
  if (device !== undefined) return undefined;
  return by === "server" ? "all" : networkOf(callerAddress(parts, c));
}
