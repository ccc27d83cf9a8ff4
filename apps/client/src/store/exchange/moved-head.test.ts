import { expect, test } from "vitest";
import { askPage, pushOnce, settle } from "../testing/exchange.ts";
import { forgottenUnseen, make, namespace, put, replica, set, world } from "../testing/world.ts";

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

test("[NS17, CL20] a head that `hello` tells is lower, as of a server that was set back, is pulled before anything is called synced", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  const backup = server.backup();
  make(a, put("record2", { title: "two" }));
  settle(a, server);
  server.restore(backup);
  const { head } = replica(a);
  const info = { id: namespace, name: "x", kind: "personal", role: "owner" } as const;
  a.replicas.takeNamespaces("server-1", [{ ...info, head: head - 1 }]);
  expect(replica(a)).toMatchObject({ head, verified: false });
  settle(a, server);
  expect(server.state("record2")).toMatchObject({ registers: { title: { value: "two" } } });
  expect(replica(a)).toMatchObject({ verified: true });
});

test("[CL20] a namespace whose next page is still to come is not called synced", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }), put("record2", { title: "two" }));
  settle(a, server);
  settle(b, server);
  make(a, put("record3", { title: "three" }), put("record4", { title: "four" }));
  settle(a, server);
  const { plan, page } = askPage(b, server, 1);
  expect(page.tail.more).toBe(true);
  b.replicas.takePage(namespace, plan, page);
  expect(replica(b)).toMatchObject({ verified: false });
  settle(b, server);
  expect(replica(b)).toMatchObject({ verified: true });
});

test("[CL20] a head that the answer to a push tells is not reached by that answer", () => {
  const { server, a } = forgottenUnseen();
  make(a, set("record1", { title: "late" }));
  pushOnce(a, server);
  // Its one op came too late: nothing is to be sent, and yet the forget was never pulled.
  expect(replica(a)).toMatchObject({ unsent: 0, unverified: 1, verified: false });
  settle(a, server);
  expect(replica(a)).toMatchObject({ verified: true });
});

test("[CL20] a head that was told and that the server does not have is asked for once more, then forgotten", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  const { head } = replica(a);
  const info = { id: namespace, name: "x", kind: "personal", role: "owner" } as const;
  // Told before a fail-over that lost it, or told on a faster way than the page's.
  a.replicas.takeNamespaces("server-1", [{ ...info, head: head + 1 }]);
  const pull = (): { readonly kind: string } => {
    const { plan, page } = askPage(a, server);
    return a.replicas.takePage(namespace, plan, page);
  };
  expect(pull()).toEqual({ kind: "overtaken" });
  expect(replica(a)).toMatchObject({ head, verified: false });
  expect(pull()).toEqual({ kind: "taken" });
  expect(replica(a)).toMatchObject({ head, verified: true });
  // So the same number, told again, is news.
  a.replicas.takeNamespaces("server-1", [{ ...info, head: head + 1 }]);
  expect(replica(a)).toMatchObject({ head: head + 1, verified: false });
});
