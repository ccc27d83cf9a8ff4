import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { AccountStore } from "../accounts-port.ts";
import type { ContractWorld } from "./pairing-contract.ts";

const laptop = "dev_laptop" as DeviceId;
const owner = "usr_owner" as UserId;
const network = "203.0.113.0/24";
const networks = ["10.0.0.0/8", "2001:db8::/32"];

/** Links for machines that are bound to networks: what every store does (PR14). */
export function networksContract(world: ContractWorld): void {
  const opened = async () => {
    const { accounts } = await world.claimed();
    const namespace = await world.team(accounts);
    await accounts.createLink({
      id: "fleet1",
      kind: "ci",
      authHash: "auth",
      createdBy: owner,
      createdByDevice: laptop,
      namespace,
      role: "writer",
      expiresAtMs: 10_000_000,
      usesMax: 3,
      networks,
    });
    return { accounts, namespace };
  };
  const redeem = (accounts: AccountStore, name: string, address: string | undefined, nowMs = 5) =>
    accounts.redeemLink({
      id: "fleet1",
      authHash: "auth",
      mac: "mac",
      nowMs,
      device: world.device(name),
      user: undefined,
      network,
      address,
    });
  const refused = async (accounts: AccountStore, namespace: NamespaceId) => {
    const query = { asking: laptop, namespace, before: undefined, limit: 100 };
    const page = await accounts.audit(query);
    return page.ok ? page.value.items.filter(({ event }) => event.endsWith("-refused")) : [];
  };

  test("[PR14] a link opens from its networks alone, and binds its machines to them (abuse 33)", async () => {
    const { accounts, namespace } = await opened();
    for (const address of ["11.0.0.1", "2001:db9::1", undefined]) {
      expect(await redeem(accounts, "box", address)).toEqual({
        ok: false,
        error: { kind: "invalid-or-expired" },
      });
    }
    expect(await accounts.devices(laptop)).toHaveLength(1);
    expect(await accounts.links(laptop, 5)).toMatchObject([{ id: "fleet1", uses: 0, networks }]);
    expect(await accounts.linkState({ asking: laptop, id: "fleet1", nowMs: 5 })).toEqual({
      status: "open",
    });
    expect(await redeem(accounts, "box", "::ffff:10.9.9.9")).toMatchObject({ ok: true });
    expect(await accounts.device("dev_box" as DeviceId)).toMatchObject({ networks });
    expect((await accounts.device(laptop))?.networks).toBeUndefined();
    // The three refusals are told once.
    expect(await refused(accounts, namespace)).toMatchObject([
      { target: "fleet1", about: { id: owner }, network, details: { kind: "ci" } },
    ]);
  });

  test("[PR14] of refusals at one moment one is written, and the next an hour later", async () => {
    const { accounts, namespace } = await opened();
    await redeem(accounts, "box", "10.0.0.1");
    const device = "dev_box" as DeviceId;
    const both = (nowMs: number) =>
      Promise.all([
        ...[1, 2, 3].map(() => redeem(accounts, "other", "11.0.0.1", nowMs)),
        ...[1, 2, 3].map(() => accounts.noteOutsider({ device, nowMs, network })),
      ]);
    const told = async () => (await refused(accounts, namespace)).map(({ event }) => event);
    const once = ["device-refused", "link-refused"];
    await both(100);
    expect((await told()).toSorted()).toEqual(once);
    await both(100 + 3_599_999);
    expect((await told()).toSorted()).toEqual(once);
    await both(100 + 3_600_000);
    expect((await told()).toSorted()).toEqual([...once, ...once].toSorted());
    expect(await refused(accounts, namespace)).toContainEqual(
      expect.objectContaining({ target: device, about: { id: owner, name: "Olga" } }),
    );
    // What is no news to its person's devices, who would be told of each machine.
    expect((await accounts.news(laptop)).map(({ event }) => event)).not.toContain("device-refused");
    await accounts.revokeDevice({ asking: laptop, id: device });
    const rows = (await accounts.verifyAudit()).rows;
    await accounts.noteOutsider({ device, nowMs: 9_000_000, network });
    expect((await accounts.verifyAudit()).rows).toBe(rows);
  });
}
