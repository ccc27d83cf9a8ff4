import type { DeviceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { ContractWorld } from "./pairing-contract.ts";

/** Keys that replicas share: what every store does. */
export function keyContract(world: Pick<ContractWorld, "claimed">): void {
  test("[AU17] of servers that start at once, all get the nonce key of one", async () => {
    const { accounts } = await world.claimed();
    const made = ["a", "b", "c"].map((key) => accounts.nonceKey(() => key));
    const keys = new Set(await Promise.all(made));
    expect(keys.size).toBe(1);
    expect(keys).toContain(await accounts.nonceKey(() => "d"));
  });

  test("[AU5] signing keys are changed one after the other, each seeing what was left", async () => {
    const { accounts } = await world.claimed();
    const add = async (kid: string): Promise<unknown> =>
      await accounts.changeSigningKeys((rows) => ({
        rows: [
          ...rows.map((row) => ({ ...row, status: "retiring" as const, sealed: undefined })),
          {
            kid,
            jwk: kid,
            status: "signing",
            createdAtMs: 5,
            sealed: "s",
            master: "m",
            untilMs: 9,
          },
        ],
        entry: { event: "signing-keys-rotated", target: kid, details: {} },
        nowMs: 5,
      }));
    await Promise.all(["k1", "k2", "k3"].map(add));
    const keys = await accounts.signingKeys();
    expect(keys.map(({ kid }) => kid).toSorted()).toEqual(["k1", "k2", "k3"]);
    expect(keys.filter(({ status }) => status === "signing")).toHaveLength(1);
    expect(keys.filter(({ sealed }) => sealed === "s")).toHaveLength(1);
    expect(keys.every(({ untilMs, master }) => untilMs === 9 && master === "m")).toBe(true);
    await accounts.changeSigningKeys((rows) => ({ rows: rows.filter(({ kid }) => kid !== "k1") }));
    expect((await accounts.signingKeys()).map(({ kid }) => kid).toSorted()).toEqual(["k2", "k3"]);
  });

  test("[AU20] a device is looked up with the key that has signed its token", async () => {
    const { accounts } = await world.claimed();
    const id = "dev_laptop" as DeviceId;
    const row = { kid: "k1", jwk: "{}", status: "retiring", createdAtMs: 1, untilMs: 9 } as const;
    await accounts.changeSigningKeys(() => ({ rows: [row] }));
    expect(await accounts.device(id, "k1")).toMatchObject({ id });
    expect(await accounts.device(id, "k2")).toBeUndefined();
    expect(await accounts.device(id)).toMatchObject({ id });
  });
}
