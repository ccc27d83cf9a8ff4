import type { ErrorCode, Result } from "@tidemark/protocol";
import { fail, ok } from "@tidemark/protocol";
import type { Context } from "hono";
import { authenticateDevice, type Authenticated } from "../../auth/resource-access.ts";
import type { DeviceRow } from "../../store/accounts-port.ts";
import type { AppEnv } from "../app-env.ts";
import { callerAddress, callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import type { RouteRule } from "../route-table.ts";

/** How often a device's last sign of life is written down, in milliseconds. */
const touchEveryMs = 300_000;
/** Devices whose last sign of life is remembered. */
const touchedMax = 20_000;

/**
 * Finds out which device calls, as far as the route wants to know; `mayCall` is asked of the device
 * before its proof is remembered.
 */
export type Authenticate = (
  c: Context<AppEnv>,
  rule: Pick<RouteRule, "auth" | "body" | "method">,
  mayCall: (device: DeviceRow) => boolean,
) => Promise<Result<Authenticated | undefined, ErrorCode>>;

/** Makes the check of credentials; device status is read from the database each time (AU9). */
export function createAuthenticate(parts: Parts): Authenticate {
  const touchedAtMs = new Map<string, number>();
  const touch = async (device: DeviceRow): Promise<void> => {
    const nowMs = parts.clock.nowMs();
    const lastMs = touchedAtMs.get(device.id);
    if (lastMs !== undefined && Math.abs(nowMs - lastMs) < touchEveryMs) return;
    if (touchedAtMs.size >= touchedMax) touchedAtMs.clear();
    touchedAtMs.set(device.id, nowMs);
    await parts.accounts.touchDevice(device.id, nowMs);
  };
  return async (c, { auth, body, method }, mayCall) => {
    const authorization = c.req.header("authorization");
    if (auth === "open") return ok(undefined);
    if (auth === "maybe" && authorization === undefined) return ok(undefined);
    const shown = {
      method: c.req.method,
      path: pathOf(c),
      query: queryOf(c),
      authorization,
      dpop: c.req.header("dpop"),
      hasBody: body !== null,
      network: callerNetwork(parts, c),
      address: callerAddress(parts, c),
    };
    const caller = await authenticateDevice(parts, shown, mayCall);
    if (!caller.ok) return fail(caller.error.kind);
    // What a client of before asks to change, somebody on the way may have added (AU24).
    const isOwnWord = caller.value.isQuerySigned || queryOf(c) === "";
    if (method !== "GET" && !isOwnWord) return fail("upgrade-client");
    await touch(caller.value.device);
    return caller;
  };
}

/** The path as sent; proofs are about it. */
export function pathOf(c: Context<AppEnv>): string {
  return new URL(c.req.url).pathname;
}

/**
 * The query as sent, where handlers read it: from the first question mark to the very end, so that
 * nothing which a reader of URLs takes for a fragment or for a path goes unsigned.
 */
function queryOf(c: Context<AppEnv>): string {
  const { url } = c.req;
  const at = url.indexOf("?");
  return at === -1 ? "" : url.slice(at + 1);
}
