import type { NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { ownNamespaces, recallNamespaces } from "./scope.ts";

function named(
  namespace: string,
  kind: "personal" | "team" | "local",
  status: "active" | "parked",
) {
  return { namespace: namespace as NamespaceId, kind, status };
}

const all = [
  named("local", "local", "active"),
  named("mine", "personal", "active"),
  named("team", "team", "active"),
  named("left", "team", "parked"),
];

test("[RC8] a namespace that one has left is not read unasked", () => {
  expect(recallNamespaces(all)).toEqual(["local", "mine", "team"]);
});

test("[RC8] only what nobody else writes to is one's own", () => {
  expect([...ownNamespaces(all)]).toEqual(["local", "mine"]);
});
