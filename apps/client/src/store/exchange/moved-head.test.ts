import { expect, test } from "vitest";
import { settle } from "../testing/exchange.ts";
import { make, namespace, put, replica, world } from "../testing/world.ts";

test("[NS17] a head that `hello` tells has moved is not verified before a pull has reached it", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  const { head, verified } = replica(a);
  expect(verified).toBe(true);
  const info = { id: namespace, name: "x", kind: "personal", role: "owner" } as const;
  a.replicas.takeNamespaces("server-1", [{ ...info, head }]);
  expect(replica(a).verified).toBe(true);
  a.replicas.takeNamespaces("server-1", [{ ...info, head: head + 1 }]);
  expect(replica(a)).toMatchObject({ head: head + 1, verified: false });
});
