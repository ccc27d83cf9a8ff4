import type { NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { hmacSha256 } from "../../platform/hash.ts";
import { keyBegunBy, type EpochPlace } from "./epoch-key.ts";

const place: EpochPlace = {
  namespace: "nse_one" as NamespaceId,
  epoch: 2,
  prev: "a".repeat(64),
  nonce: "0".repeat(32),
};
const secret = new Uint8Array(32).fill(7);

test("[EE23] a key is the same for the same entry, and another for any other", () => {
  const keyAt = (at: EpochPlace, epochSecret = secret): string =>
    Buffer.from(keyBegunBy({ hmacSha256 }, { epochSecret }, at)).toString("hex");
  const others = [
    keyAt({ ...place, namespace: "nse_two" as NamespaceId }),
    keyAt({ ...place, epoch: 3 }),
    keyAt({ ...place, prev: "b".repeat(64) }),
    keyAt({ ...place, nonce: "1".repeat(32) }),
    keyAt(place, new Uint8Array(32).fill(8)),
  ];
  expect(keyAt(place)).toBe(keyAt({ ...place }));
  expect(new Set([keyAt(place), ...others]).size).toBe(6);
  expect(keyAt(place)).toHaveLength(64);
});
