import { expect, test } from "vitest";
import type { DeviceRow } from "../store/accounts-port.ts";
import { serverLimits } from "../limits.ts";
import { createTestClock } from "../auth/testing/auth-deps.ts";
import { createRateLimiter, type Rate } from "./rate-limiter.ts";
import { rateDelayMs } from "./middleware/rate.ts";
import { routeTable, type RouteRule } from "./route-table.ts";
import { ask, claimServer, outcome, signedHeadersFor } from "./testing/client.ts";
import { createHarness } from "./testing/harness.ts";

const rules = Object.entries<RouteRule>(routeTable);
const rated = rules.flatMap(([route, rule]) =>
  rule.rates.map((rate): [string, Rate["by"], number] => [route, rate.by, rate.perMinute]),
);

test("[AU12] every route has a rate but those that cost nothing", () => {
  const free = rules.filter(([, { rates }]) => rates.length === 0).map(([route]) => route);
  expect(free).toEqual(["health", "jwks"]);
  for (const [route, { auth, rates }] of rules) {
    if (auth === "open") continue;
    const ofDevices = rates.some(({ by }) => by === "device");
    // What opens an invite is guessed at from anywhere.
    expect(ofDevices || route === "accept").toBe(true);
  }
});

test.each(rated)(
  "[AU12] %s takes its requests by %s, %i of them, and then one more a while later",
  (route, by, perMinute) => {
    const clock = createTestClock();
    const rates = [{ by, perMinute }];
    const parts = { rates: createRateLimiter(clock) };
    const take = (who: string): number =>
      rateDelayMs(parts, callFrom(who), {
        route,
        rates,
        device: by === "device" ? ({ id: who } as DeviceRow) : undefined,
      });
    for (let count = 0; count < perMinute; count += 1) expect(take("203.0.113.1")).toBe(0);
    const waitMs = take("203.0.113.1");
    expect(waitMs).toBe(Math.ceil(60_000 / perMinute));
    if (by !== "server") expect(take("203.0.113.2")).toBe(0);
    clock.advance(waitMs);
    expect(take("203.0.113.1")).toBe(0);
    expect(take("203.0.113.1")).toBeGreaterThan(0);
  },
);

test("[AU7, AU12] a call over its rate takes no place in the memory of proofs, and a copied one no call", async () => {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const path = "/v1/audit/check";
  const { auditCheck } = serverLimits.ratesByDevice;
  const show = async (headers: Record<string, string>): Promise<string> =>
    await outcome(await ask(harness, path, { headers }));
  const first = await signedHeadersFor(harness, owner, path);
  expect(await show(first)).toBe("200");
  // Whoever copied a proof uses up nothing of what its device may call.
  for (let count = 0; count < auditCheck; count += 1) {
    expect(await show(first)).toBe("401 invalid-token");
  }
  for (let count = 1; count < auditCheck; count += 1) {
    expect(await outcome(await owner.send(path))).toBe("200");
  }
  const over = await signedHeadersFor(harness, owner, path);
  expect(await show(over)).toBe("429 rate-limited");
  harness.clock.advance(10_000);
  expect(await show(over)).toBe("200");
  expect(await show(over)).toBe("401 invalid-token");
});

test("[AU12] a device that has used up one kind of request goes on with the others", async () => {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const check = async (): Promise<string> => await outcome(await owner.send("/v1/audit/check"));
  for (let count = 0; count < serverLimits.ratesByDevice.auditCheck; count += 1) {
    expect(await check()).toBe("200");
  }
  const refused = await owner.send("/v1/audit/check");
  expect(refused.headers.get("retry-after")).toBe("10");
  expect(await outcome(refused)).toBe("429 rate-limited");
  expect(await outcome(await owner.send("/v1/audit"))).toBe("200");
  harness.clock.advance(10_000);
  expect(await check()).toBe("200");
});

test("[AU12] a stranger who uses up the claims of a network leaves the owner theirs", () => {
  const parts = { rates: createRateLimiter(createTestClock()) };
  const { rates } = routeTable.setup;
  const take = (who: string): number =>
    rateDelayMs(parts, callFrom(who), { route: "setup", rates, device: undefined });
  for (let count = 0; count < 10; count += 1) expect(take("203.0.113.1")).toBe(0);
  for (let count = 0; count < 1_000; count += 1) expect(take("203.0.113.1")).toBeGreaterThan(0);
  expect(take("198.51.100.1")).toBe(0);
});

/** A request from an address, as far as rates look at it. */
function callFrom(remoteAddress: string): Parameters<typeof rateDelayMs>[1] {
  const call = {
    env: { incoming: { socket: { remoteAddress } } },
    req: { header: () => undefined },
  };
  return call as unknown as Parameters<typeof rateDelayMs>[1];
}
