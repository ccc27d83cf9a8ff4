import type { RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { serverLimits } from "../limits.ts";
import type { NamespaceReader } from "../store/port.ts";
import { emptyKnown, emptyMissing, load } from "./known.ts";
import { live } from "./testing/states.ts";
import { TransactionTooLarge } from "./transaction-too-large.ts";

const { readBytesMax } = serverLimits.transaction;

/** A store whose records say that they hold so many bytes. */
function holding(bytes: number): NamespaceReader {
  const reader: Pick<NamespaceReader, "records"> = {
    records: async (ids) =>
      ids.map((id, index) => ({ seq: index + 1, state: live(id, {}), digest: "" as never, bytes })),
  };
  return reader as NamespaceReader;
}

function asking(...ids: readonly string[]): ReturnType<typeof emptyMissing> {
  return { ...emptyMissing(), records: new Set(ids as readonly RecordId[]) };
}

test("[PS14] what a transaction reads counts over all of its looks, up to the limit itself", async () => {
  const half = holding(readBytesMax / 2);
  const known = emptyKnown();
  await load(half, known, asking("r1"));
  await load(half, known, asking("r2"));
  expect(known.records.size).toBe(2);
  await expect(load(holding(1), known, asking("r3"))).rejects.toThrow(TransactionTooLarge);
});
