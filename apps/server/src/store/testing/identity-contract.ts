import { deviceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Store } from "../port.ts";
import type { ConsoleWorld } from "./console-contract.ts";
import { laptop, owner } from "./contract-rows.ts";

const network = "203.0.113.0/24";
const account = { issuer: "https://login.example", subject: "sub-1" };

interface Place {
  readonly store: Store;
  readonly nowMs: number;
}

/** A server whose owner has a session by the laptop, named `device`. */
async function placed(world: ConsoleWorld): Promise<Place> {
  const nowMs = 10_000_000;
  const store = await world.claimedAt({ nowMs: () => nowMs });
  const endsAtMs = nowMs + 1e9;
  await store.accounts.saveConsoleLink({ hash: "link", asking: laptop, nowMs, endsAtMs });
  const opened = { linkHash: "link", sessionHash: "device", nowMs, endsAtMs, network };
  expect(await store.accounts.openConsole(opened)).toMatchObject({ issuer: undefined });
  return { store, nowMs };
}

const actorOf = (byte: number) => ({
  id: deviceId(new Uint8Array(16).fill(byte)),
  name: "Acme",
  key: { kty: "OKP", crv: "Ed25519", x: `key ${byte}` } as const,
  thumbprint: `thumbprint ${byte}`,
});

/** What a store keeps of accounts at a provider. */
export function identityContract(world: ConsoleWorld): void {
  test("[CO10] a sign-in that was begun is taken once and in time", async () => {
    const { store, nowMs } = await placed(world);
    const { accounts } = store;
    const flow = { sessionHash: undefined, nowMs, endsAtMs: nowMs + 10 };
    await accounts.saveOidcFlow({ ...flow, stateHash: "a" });
    await accounts.saveOidcFlow({ ...flow, stateHash: "b", sessionHash: "device" });
    await accounts.saveOidcFlow({ ...flow, stateHash: "c" });
    expect(await accounts.takeOidcFlow("a", nowMs + 9)).toEqual({ sessionHash: undefined });
    expect(await accounts.takeOidcFlow("a", nowMs + 9)).toBeUndefined();
    expect(await accounts.takeOidcFlow("b", nowMs + 9)).toEqual({ sessionHash: "device" });
    expect(await accounts.takeOidcFlow("c", nowMs + 10)).toBeUndefined();
    expect(await accounts.takeOidcFlow("d", nowMs)).toBeUndefined();
  });

  test("[CO11] [CO12] [AD5] an account is told to its person's devices, and opens sessions of its person until it is disconnected", async () => {
    const { store, nowMs } = await placed(world);
    const { accounts } = store;
    const connected = { sessionHash: "device", identity: account, nowMs, network };
    expect(await accounts.connectIdentity({ ...connected, actor: actorOf(1) })).toMatchObject({
      ok: true,
    });
    const news = await accounts.news(laptop);
    expect(news.map(({ event, details }) => [event, details["issuer"]])).toContainEqual([
      "identity-connected",
      account.issuer,
    ]);
    const other = { ...account, subject: "sub-2" };
    const twice = { ...connected, identity: other, actor: actorOf(2) };
    expect(await accounts.connectIdentity(twice)).toMatchObject({ error: "connected-already" });
    const open = async (identity: typeof account, sessionHash: string) =>
      await accounts.openByIdentity({
        identity,
        sessionHash,
        askedAtMs: nowMs - 5,
        nowMs,
        endsAtMs: nowMs + 1e9,
        network,
      });
    const session = await open(account, "browser");
    expect(session).toMatchObject({
      user: { id: owner, isOwner: true },
      device: { id: actorOf(1).id, name: "Acme" },
      issuer: account.issuer,
      madeAtMs: nowMs - 5,
    });
    expect(await accounts.consoleSession("browser", nowMs)).toEqual(session);
    expect(await open({ ...account, issuer: "https://other.example" }, "x")).toBeUndefined();
    expect(await open(other, "x")).toBeUndefined();
    // A browser's session connects nothing, and one that is over connects nothing.
    for (const sessionHash of ["browser", "none"]) {
      const asked = { ...twice, identity: { ...other, issuer: "https://o.example" }, sessionHash };
      expect(await accounts.connectIdentity(asked)).toMatchObject({ error: "signed-out" });
    }
    const its = { issuer: account.issuer, connectedAtMs: nowMs };
    expect(await accounts.identities(actorOf(1).id)).toEqual([its]);
    expect((await accounts.devices(laptop)).map(({ id }) => id)).toEqual([laptop]);
    expect(await accounts.device(actorOf(1).id)).toBeUndefined();
    const last = { asking: actorOf(1).id, id: laptop, network };
    expect(await accounts.revokeDevice(last)).toMatchObject({ error: { kind: "last-device" } });

    const ended = { asking: laptop, issuer: account.issuer, nowMs, network };
    expect(await accounts.disconnectIdentity(ended)).toBe(true);
    expect(await accounts.disconnectIdentity(ended)).toBe(false);
    expect(await accounts.consoleSession("browser", nowMs)).toBeUndefined();
    expect(await open(account, "y")).toBeUndefined();
    expect(await accounts.consoleSession("device", nowMs)).toBeDefined();
    expect(await accounts.connectIdentity({ ...connected, actor: actorOf(3) })).toMatchObject({
      ok: true,
    });
  });

  test("[AU73] who shuts a device out is told of the account that it connected", async () => {
    const { store, nowMs } = await placed(world);
    const { accounts } = store;
    const auth = { id: "link1", authHash: "auth" };
    const link = { ...auth, kind: "device", createdBy: owner, createdByDevice: laptop } as const;
    const noPlace = { namespace: undefined, role: undefined };
    const expiresAtMs = nowMs + 1e6;
    await accounts.createLink({ ...link, ...noPlace, expiresAtMs });
    const device = { ...actorOf(9), name: "desk", platform: "linux" };
    const opened = { ...auth, mac: "mac", nowMs, device, user: undefined };
    expect(await accounts.redeemLink(opened)).toMatchObject({ ok: true });
    const connected = { sessionHash: "device", identity: account, nowMs, network };
    await accounts.connectIdentity({ ...connected, actor: actorOf(1) });
    const shutOut = async (): Promise<object> =>
      await accounts.revokeDevice({ asking: device.id, id: laptop });
    const told = { issuer: account.issuer, connectedAt: nowMs };
    expect(await shutOut()).toMatchObject({ value: { accounts: [told] } });
    // As long as it lets somebody in.
    await accounts.disconnectIdentity({
      asking: device.id,
      issuer: account.issuer,
      nowMs,
      network,
    });
    expect(await shutOut()).not.toHaveProperty("value.accounts");
  });

  test("[CO12] shutting out what stands for an account disconnects it", async () => {
    const { store, nowMs } = await placed(world);
    const { accounts } = store;
    const connected = { sessionHash: "device", identity: account, nowMs, network };
    await accounts.connectIdentity({ ...connected, actor: actorOf(1) });
    await accounts.revokeDevice({ asking: laptop, id: actorOf(1).id, network });
    expect(await accounts.identities(laptop)).toEqual([]);
    expect(await accounts.connectIdentity({ ...connected, actor: actorOf(2) })).toMatchObject({
      ok: true,
    });
    expect(await accounts.identities(laptop)).toHaveLength(1);
  });
}
