import type { RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { emptyKnown } from "./known.ts";
import { touchedBelow, touchedBy } from "./touched.ts";

const named = (id: string, parent: string) => ({ id: id as RecordId, parent: parent as RecordId });

test("[TB12] records that are named below one another in a circle are found once each", () => {
  const touched = touchedBy([named("a", "c"), named("b", "a"), named("c", "b"), named("d", "e")]);
  const below = touchedBelow(emptyKnown(), touched, ["a" as RecordId]);
  expect([...below].toSorted()).toEqual(["a", "b", "c"]);
});
