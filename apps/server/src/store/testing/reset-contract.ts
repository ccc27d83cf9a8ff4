import type { DeviceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { AccountStore } from "../accounts-port.ts";
import type { Store } from "../port.ts";
import type { ContractWorld } from "./pairing-contract.ts";

type ResetWorld = Pick<ContractWorld, "claimed" | "device" | "user"> & {
  /** A store that nobody has claimed. */
  open(): Promise<Store>;
};

const laptop = "dev_laptop" as DeviceId;
const hash = "reset";

/** Links of the host for a device of the owner: what every store does (AU21). */
export function resetContract(world: ResetWorld): void {
  const enter = async (accounts: AccountStore, name: string, given = {}) =>
    await accounts.claim({
      secretHash: hash,
      nowMs: 60,
      user: world.user("stranger"),
      device: world.device(name),
      network: "203.0.113.0/24",
      ...given,
    });
  const print = async (accounts: AccountStore, expiresAtMs = 100) =>
    await accounts.saveOwnerReset({ secretHash: hash, expiresAtMs, nowMs: 55 });
  const refused = { ok: false, error: { kind: "already-claimed" } };

  test("[AU21] of many devices that open a link of the host, one is in, as the owner (abuse 80)", async () => {
    const { accounts } = await world.claimed();
    await accounts.revokeDevice({ asking: laptop, id: laptop, isForced: true });
    expect(await print(accounts)).toBe("Olga");
    const tries = await Promise.all(["a", "b", "c"].map((name) => enter(accounts, name)));
    const made = tries.filter(({ ok }) => ok);
    expect(made).toMatchObject([{ value: { user: { id: "usr_owner", name: "Olga" } } }]);
    expect(tries.filter(({ ok }) => !ok)).toEqual([refused, refused]);
    expect(await enter(accounts, "d")).toEqual(refused);
    const [device = laptop] = tries.flatMap((each) => (each.ok ? [each.value.device.id] : []));
    expect(await accounts.device(device)).toMatchObject({ user: "usr_owner", status: "active" });
    expect(await accounts.namespaces(device)).toMatchObject([{ kind: "personal", role: "owner" }]);
    const audit = await accounts.audit({
      asking: device,
      before: undefined,
      limit: 3,
      namespace: undefined,
    });
    expect(audit).toMatchObject({
      value: {
        items: [
          { event: "device-joined", target: device, details: { by: "owner-reset" } },
          { event: "owner-reset", target: "usr_owner", details: { name: "Olga" } },
          { event: "device-revoked" },
        ],
      },
    });
  });

  test("[AU21] the owner's other devices are told that it was printed, and of who came in", async () => {
    const { accounts } = await world.claimed();
    await print(accounts);
    await enter(accounts, "new");
    const news = await accounts.news(laptop);
    expect(news.slice(0, 2).map(({ event }) => event)).toEqual(["device-joined", "owner-reset"]);
  });

  test("[AU21] a link of the host ends with its hour, and opens for no key that is known", async () => {
    const { accounts } = await world.claimed();
    await print(accounts, 60);
    expect(await enter(accounts, "late")).toEqual(refused);
    await print(accounts, 61);
    expect(await enter(accounts, "other", { secretHash: "guess" })).toEqual(refused);
    expect(await enter(accounts, "laptop")).toMatchObject({ error: { kind: "key-in-use" } });
    expect(await enter(accounts, "in time")).toMatchObject({ ok: true });
  });

  test("[AU21] a server without an owner has no device of one to let in", async () => {
    const { accounts } = await world.open();
    await accounts.server(() => "srv");
    expect(await print(accounts)).toBeUndefined();
    expect(await enter(accounts, "new")).toMatchObject({ error: { kind: "invalid-or-expired" } });
  });
}
