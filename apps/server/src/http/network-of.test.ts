import { expect, test } from "vitest";
import { networkOf, networkPrefix } from "./network-of.ts";

test("[AU12] addresses of one customer count as one", () => {
  expect(networkOf("203.0.113.7")).toBe("203.0.113.7");
  expect(networkOf("::ffff:203.0.113.7")).toBe("203.0.113.7");
  expect(networkOf("2001:db8:1:2ff::1")).toBe(networkOf("2001:db8:1:201:aaaa::2"));
  expect(networkOf("2001:db8:1:2ff::1")).not.toBe(networkOf("2001:db8:1:3ff::1"));
  expect(networkOf("fe80::1%eth0")).toBe(networkOf("fe80::2"));
  expect(networkOf("::1")).toBe("0:0:0:0");
  expect(networkOf(undefined)).toBe("unknown");
});

test("[AD2] what is kept of an address is its network", () => {
  expect(networkPrefix("203.0.113.7")).toBe("203.0.113.0/24");
  expect(networkPrefix("::ffff:203.0.113.7")).toBe("203.0.113.0/24");
  expect(networkPrefix("2001:db8:1:2ff::1")).toBe("2001:db8:1:200::/56");
  expect(networkPrefix("unix socket")).toBeUndefined();
  expect(networkPrefix(undefined)).toBeUndefined();
});
