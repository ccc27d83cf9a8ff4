import { bucketOf, compareText, type RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Store } from "../port.ts";
import { id, live, namespace, save } from "./contract-rows.ts";

/** Digests of a namespace's buckets and of what is in one: what every store does. */
export function bucketContract(opened: () => Promise<Store>): void {
  test("[HL1] buckets sum the digests of their records", async () => {
    const store = await opened();
    await save(store, [
      { ...live("r1", 1), digest: "8000000000000001" },
      { ...live("r2", 2), digest: "00000000000000ff" },
    ]);
    const read = await store.readNamespace(namespace, async (tx) => {
      const buckets = await tx.bucketDigests();
      const filled = buckets.flatMap(({ count }, bucket) => (count > 0 ? [bucket] : []));
      const records = await Promise.all(filled.map((bucket) => tx.bucket(bucket)));
      return { buckets, records: records.flat() };
    });
    expect(read?.buckets).toHaveLength(256);
    expect(read?.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    expect(new Map(read?.records)).toEqual(
      new Map([
        ["r1", "8000000000000001"],
        ["r2", "00000000000000ff"],
      ]),
    );
  });

  test("[HL40] a bucket is read in pages, in the order of ids", async () => {
    const store = await opened();
    const named = ["Z", "_", "a", "-", "0"].flatMap((first) =>
      Array.from({ length: 600 }, (_, index) => `${first}${String(index)}`),
    );
    const inOne = named.filter((name) => bucketOf(id(name)) === 7);
    await save(
      store,
      inOne.map((name, index) => live(name, index + 1)),
    );
    await save(store, [live("elsewhere", inOne.length + 1)]);
    const pages: (readonly string[])[] = [];
    for (let after: RecordId | undefined; ;) {
      const page = { after, countMax: 3 };
      const rows = await store.readNamespace(namespace, (tx) => tx.bucket(7, page));
      after = rows?.at(-1)?.[0];
      if (rows === undefined || after === undefined) break;
      pages.push(rows.map(([each]) => each));
    }
    expect(inOne.length).toBeGreaterThan(6);
    expect(pages.flat()).toEqual(inOne.toSorted(compareText));
    expect(pages.slice(0, -1).every(({ length }) => length === 3)).toBe(true);
    const whole = await store.readNamespace(namespace, (tx) => tx.bucket(7));
    expect(whole?.map(([each]) => each)).toEqual(pages.flat());
  });
}
