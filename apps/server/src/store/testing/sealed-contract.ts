import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { AccountStore } from "../accounts-port.ts";
import type { Store } from "../port.ts";
import { laptop, link, namespace as personal, device } from "./contract-rows.ts";

const sealed = "nse_acme" as NamespaceId;
const wrap = (recipient: string, epoch: number, text = `wrap.${epoch}`) => ({
  recipient,
  epoch,
  wrap: text,
});

async function begun({ accounts }: Store): Promise<void> {
  await accounts.createNamespace({
    asking: laptop,
    id: sealed,
    name: "encrypted",
    mark: "mark0",
    sealed: { genesis: "entry.0", wraps: [wrap(laptop, 1)] },
  });
}

/** What every store keeps of encrypted namespaces. */
export function sealedContract(world: { readonly claimed: () => Promise<Store> }): void {
  test("[EE6] a log grows in its order, and a plain namespace has none", async () => {
    const store = await world.claimed();
    await begun(store);
    expect(await store.readNamespace(sealed, (tx) => tx.logEnd())).toEqual({
      place: 0,
      entry: "entry.0",
      epoch: 1,
    });
    await store.writeNamespace(sealed, async (tx) => {
      await tx.addLog([
        { place: 1, entry: "entry.1", epoch: 1 },
        { place: 2, entry: "entry.2", epoch: 2 },
      ]);
    });
    const after = await store.readNamespace(sealed, async (tx) => [
      await tx.log(),
      await tx.logEnd(),
    ]);
    expect(after).toEqual([
      ["entry.0", "entry.1", "entry.2"],
      { place: 2, entry: "entry.2", epoch: 2 },
    ]);
    const plain = await store.readNamespace(personal, async (tx) => [
      await tx.log(),
      await tx.logEnd(),
    ]);
    expect(plain).toEqual([[], undefined]);
  });

  test("[EE31] how the newest epoch began is told whatever was said after it", async () => {
    const store = await world.claimed();
    await begun(store);
    const beginning = (id: NamespaceId): Promise<unknown> =>
      store.readNamespace(id, (tx) => tx.epochBeginning());
    expect(await beginning(sealed)).toEqual({ place: 0, entry: "entry.0", epoch: 1 });
    await store.writeNamespace(sealed, async (tx) => {
      await tx.addLog([
        { place: 1, entry: "entry.1", epoch: 1 },
        { place: 2, entry: "entry.2", epoch: 2 },
        { place: 3, entry: "entry.3", epoch: 2 },
      ]);
    });
    expect(await beginning(sealed)).toEqual({ place: 2, entry: "entry.2", epoch: 2 });
    expect(await beginning(personal)).toBeUndefined();
  });

  test("[EE7] wraps are each device's own, by epoch, and the newest of one stays", async () => {
    const store = await world.claimed();
    await begun(store);
    await store.writeNamespace(sealed, async (tx) => {
      await tx.saveWraps([wrap("dev_b", 2), wrap("dev_b", 1), wrap(laptop, 1, "again")]);
    });
    const wrapsOf = async (recipient: string) =>
      await store.readNamespace(sealed, (tx) => tx.wraps(recipient));
    expect(await wrapsOf("dev_b")).toEqual([wrap("dev_b", 1), wrap("dev_b", 2)]);
    expect(await wrapsOf(laptop)).toEqual([wrap(laptop, 1, "again")]);
    expect(await wrapsOf("dev_c")).toEqual([]);
    expect(await store.readNamespace(personal, (tx) => tx.wraps(laptop))).toEqual([]);
    const epochs = await store.readNamespace(sealed, (tx) => tx.wrappedEpochs());
    expect(new Map(epochs)).toEqual(
      new Map([
        [laptop, [1]],
        ["dev_b", [1, 2]],
      ]),
    );
    expect((await store.readNamespace(personal, (tx) => tx.wrappedEpochs()))?.size).toBe(0);
  });

  test("[EE6] what a write throws takes log and wraps back", async () => {
    const store = await world.claimed();
    await begun(store);
    const broken = store.writeNamespace(sealed, async (tx) => {
      await tx.addLog([{ place: 1, entry: "entry.1", epoch: 2 }]);
      await tx.saveWraps([wrap("dev_b", 1)]);
      throw new Error("stop");
    });
    await expect(broken).rejects.toThrow("stop");
    const after = await store.readNamespace(sealed, async (tx) => [
      await tx.log(),
      await tx.wraps("dev_b"),
    ]);
    expect(after).toEqual([["entry.0"], []]);
  });

  test("[EE9] only who has a key for wraps is told of an encrypted namespace", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    await begun(store);
    const ids = async (asking: DeviceId) => (await accounts.namespaces(asking)).map(({ id }) => id);
    expect(await ids(laptop)).toEqual([personal]);
    expect(await accounts.identity(laptop)).toMatchObject({ hasSealingKey: false });
    expect(await accounts.memberDevices(sealed)).toMatchObject([{ id: laptop, name: "laptop" }]);
    expect(await accounts.saveSealingKey(laptop, "statement")).toBe(true);
    expect(await ids(laptop)).toEqual([personal, sealed]);
    expect(await accounts.identity(laptop)).toMatchObject({ hasSealingKey: true });
    const phone = await other(accounts);
    expect(await ids(phone)).not.toContain(sealed);
    expect(await accounts.saveSealingKey(phone, "other")).toBe(true);
    expect(await accounts.memberDevices(sealed)).toMatchObject([
      { id: laptop, name: "laptop", user: "usr_owner", userName: "Olga", sealingKey: "statement" },
      { id: phone, key: { kty: "OKP", crv: "Ed25519", x: "phone" }, sealingKey: "other" },
    ]);
    expect(await accounts.saveSealingKey("dev_none" as DeviceId, "x")).toBe(false);
    await accounts.revokeDevice({ asking: laptop, id: phone });
    expect(await accounts.saveSealingKey(phone, "x")).toBe(false);
    expect(await accounts.memberDevices(sealed)).toHaveLength(1);
    expect(await accounts.memberDevices(personal)).toHaveLength(1);
  });
}

async function other(accounts: AccountStore): Promise<DeviceId> {
  await accounts.createLink({ ...link("add", "device"), expiresAtMs: 1e13 });
  const opening = { id: "add", authHash: "auth", mac: "mac", nowMs: 60, user: undefined };
  expect(await accounts.redeemLink({ ...opening, device: device("phone") })).toMatchObject({
    ok: true,
  });
  return "dev_phone" as DeviceId;
}
