import { expect, test } from "vitest";
import { serverLimits } from "../../limits.ts";
import { createNetworkCheck } from "../../networks.ts";
import { claimServer } from "../testing/client.ts";
import { createHarness, type Harness } from "../testing/harness.ts";

const proxies = createNetworkCheck(["10.0.0.0/8", "2001:db8:f::/48"]);
const { join: allowed } = serverLimits.ratesByNetwork;

async function serve(isTrustedProxy?: (address: string) => boolean): Promise<Harness> {
  const harness = createHarness(isTrustedProxy === undefined ? {} : { isTrustedProxy });
  await claimServer(harness);
  return harness;
}

/** A guess at a link from a peer; 400 while it may guess, then 429. */
async function guess(
  harness: Harness,
  remoteAddress: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const request = new Request("https://a/v1/join", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: "{}",
  });
  const env = { incoming: { socket: { remoteAddress } } };
  return (await harness.app.fetch(request, env)).status;
}

async function guessesLeft(
  harness: Harness,
  peer: (at: number) => string,
  headers: (at: number) => Readonly<Record<string, string>> = () => ({}),
): Promise<number> {
  for (let at = 0; at < 2 * allowed; at += 1) {
    if ((await guess(harness, peer(at), headers(at))) === 429) return at;
  }
  return Number.POSITIVE_INFINITY;
}

const stranger = (): string => "203.0.113.1";
const proxy = (): string => "10.0.0.1";

test.each([
  ["X-Forwarded-For", "x-forwarded-for", (at: number) => `198.51.100.${at}`],
  ["Forwarded", "forwarded", (at: number) => `for=198.51.100.${at}`],
  ["X-Real-IP", "x-real-ip", (at: number) => `198.51.100.${at}`],
  ["CF-Connecting-IP", "cf-connecting-ip", (at: number) => `198.51.100.${at}`],
  ["True-Client-IP", "true-client-ip", (at: number) => `198.51.100.${at}`],
])("[AU12] a stranger's %s changes nothing (abuse 132)", async (_, header, value) => {
  const headers = (at: number): Readonly<Record<string, string>> => ({ [header]: value(at) });
  expect(await guessesLeft(await serve(proxies), stranger, headers)).toBe(allowed);
});

test("[AU12] behind a proxy, what the caller wrote before it changes nothing (abuse 132)", async () => {
  const lies = [
    (at: number) => `198.51.100.${at}, 203.0.113.1`,
    (at: number) => `10.0.0.${at}, 203.0.113.1, 10.0.0.2`,
    (at: number) => `10.0.0.${at}, 198.51.100.${at}, 203.0.113.1:${at}, 2001:db8:f::${at}`,
    (at: number) => `,, ${"198.51.100.1,".repeat(at)} ::ffff:203.0.113.1, ::ffff:10.0.0.9`,
    (at: number) => `made up ${at}, ::ffff:cb00:7101`,
  ];
  for (const lie of lies) {
    const headers = (at: number) => ({ "x-forwarded-for": lie(at) });
    expect(await guessesLeft(await serve(proxies), proxy, headers)).toBe(allowed);
  }
});

test("[AU12] what is no address gives nobody a bucket of their own (abuse 132)", async () => {
  for (const lie of [(at: number) => `unknown${at}`, (at: number) => `_${at}`, () => ""]) {
    const headers = (at: number) => ({ "x-forwarded-for": lie(at) });
    expect(await guessesLeft(await serve(proxies), proxy, headers)).toBe(allowed);
  }
});

test("[AU12] who walks through a network of their own stays one caller (abuse 132)", async () => {
  const within: readonly ((at: number) => string)[] = [
    (at) => `2001:db8:1:2${at.toString(16).padStart(2, "0")}::${at}`,
    (at) => (at % 2 === 0 ? "203.0.113.9" : "::ffff:203.0.113.9"),
    (at) => (at % 2 === 0 ? "::ffff:203.0.113.9" : "::ffff:cb00:7109"),
  ];
  for (const peer of within) expect(await guessesLeft(await serve(), peer)).toBe(allowed);
  const apart: readonly ((at: number) => string)[] = [
    (at) => `2001:db8:1:${at.toString(16)}00::1`,
    (at) => `203.0.113.${at}`,
  ];
  for (const peer of apart) expect(await guessesLeft(await serve(), peer)).toBeGreaterThan(allowed);
});

test("[AU12] callers behind one proxy count for themselves (abuse 132)", async () => {
  const harness = await serve(proxies);
  const from = (address: string) => () => ({ "x-forwarded-for": address });
  expect(await guessesLeft(harness, proxy, from("203.0.113.1"))).toBe(allowed);
  expect(await guess(harness, proxy(), from("203.0.113.2")())).toBe(400);
  expect(await guess(harness, "203.0.113.1")).toBe(429);
});

test("[OPS29] an address that is not believed is told once, with the fix and without the address", async () => {
  const harness = await serve(proxies);
  const told = (): readonly string[] =>
    harness.log.filter((line) => line.startsWith("forwarded-not-believed"));
  await guess(harness, proxy(), { "x-forwarded-for": "203.0.113.1" });
  await guess(harness, stranger());
  expect(told()).toEqual([]);
  for (const header of ["x-forwarded-for", "forwarded", "x-real-ip"]) {
    await guess(harness, "172.18.0.1", { [header]: "198.51.100.77" });
  }
  expect(told()).toHaveLength(1);
  expect(told()[0]).toContain('"network":"172.18.0.0/24"');
  expect(told()[0]).toContain("TRUSTED_PROXIES");
  expect(told()[0]).not.toContain("198.51.100");
});
