import { expect, test } from "vitest";
import { createNetworkCheck } from "./networks.ts";

test.each([
  ["10.0.0.0/8", ["10.0.0.1", "10.255.255.255", "::ffff:10.1.2.3", "::ffff:a01:203"], ["11.0.0.1"]],
  ["127.0.0.1", ["127.0.0.1", "::ffff:127.0.0.1"], ["127.0.0.2", "::1"]],
  ["::1", ["::1", "0:0:0:0:0:0:0:1"], ["::2", "127.0.0.1"]],
  ["2001:db8::/32", ["2001:db8::1", "2001:DB8:ffff::"], ["2001:db9::1", "10.0.0.1"]],
  ["::ffff:10.0.0.0/104", ["10.1.2.3", "::ffff:10.1.2.3"], ["11.0.0.1"]],
  ["fe80::/10", ["fe80::1", "fe80::1%eth0"], ["::1"]],
  ["", [], ["127.0.0.1", "::1"]],
])("[AU12] %s are these addresses and no others (abuse 132)", (networks, inside, outside) => {
  const isProxy = createNetworkCheck(networks.split(",").filter((network) => network !== ""));
  expect(inside.filter((address) => !isProxy(address))).toEqual([]);
  const none = ["", "unknown", "10.0.0.1, 10.0.0.2", "10.0.0.1:80", "10.0.0", "[::1]"];
  expect([...outside, ...none].filter((address) => isProxy(address))).toEqual([]);
});
