import { expect, test } from "vitest";
import { forwardedAddress, networkOf, networkPrefix } from "./network-of.ts";

test("[AU12] addresses of one customer count as one", () => {
  expect(networkOf("203.0.113.7")).toBe("203.0.113.7");
  expect(networkOf("::ffff:203.0.113.7")).toBe("203.0.113.7");
  for (const mapped of ["::ffff:cb00:7107", "::FFFF:CB00:7107", "0:0:0:0:0:ffff:203.0.113.7"])
    expect(networkOf(mapped)).toBe("203.0.113.7");
  expect(networkOf("::ffff:0:cb00:7107")).toBe("0:0:0:0");
  expect(networkOf("2001:DB8:1:200::1")).toBe(networkOf("2001:0db8:0001:02ff::1.2.3.4"));
  expect(networkOf("2001:db8:1:2ff::1")).toBe(networkOf("2001:db8:1:201:aaaa::2"));
  expect(networkOf("2001:db8:1:2ff::1")).not.toBe(networkOf("2001:db8:1:3ff::1"));
  expect(networkOf("fe80::1%eth0")).toBe(networkOf("fe80::2"));
  expect(networkOf("::1")).toBe("0:0:0:0");
  expect(networkOf(undefined)).toBe("unknown");
});

test("[AU12] an entry of X-Forwarded-For is an address, with or without its port", () => {
  for (const entry of ["203.0.113.7", " 203.0.113.7 ", "203.0.113.7:4711"])
    expect(forwardedAddress(entry)).toBe("203.0.113.7");
  for (const entry of ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:4711"])
    expect(forwardedAddress(entry)).toBe("2001:db8::1");
  for (const entry of ["", "unknown", "_hidden", "203.0.113", "[", "[203.0.113.7", "a:1", '""'])
    expect(forwardedAddress(entry)).toBeUndefined();
});

test("[AD2] what is kept of an address is its network", () => {
  expect(networkPrefix("203.0.113.7")).toBe("203.0.113.0/24");
  expect(networkPrefix("::ffff:203.0.113.7")).toBe("203.0.113.0/24");
  expect(networkPrefix("2001:db8:1:2ff::1")).toBe("2001:db8:1:200::/56");
  expect(networkPrefix("unix socket")).toBeUndefined();
  expect(networkPrefix(undefined)).toBeUndefined();
});
