import { expect, test } from "vitest";
import type { Environment } from "../paths.ts";
import { wayTo } from "./proxy-env.ts";

const server = "https://tidemark.example";
const proxy = "http://proxy.example:3128";

function way(url: string, env: Environment): string {
  const found = wayTo(new URL(url), env);
  return found.kind === "proxy" ? found.proxy.href : found.kind;
}

test("[WR65] without HTTPS_PROXY, or with an empty one, connections go directly", () => {
  expect(way(server, {})).toBe("direct");
  expect(way(server, { HTTPS_PROXY: " " })).toBe("direct");
  expect(way(server, { HTTP_PROXY: proxy, ALL_PROXY: proxy, http_proxy: proxy })).toBe("direct");
});

test.each([
  ["HTTPS_PROXY", { HTTPS_PROXY: proxy }, `${proxy}/`],
  ["https_proxy", { https_proxy: proxy }, `${proxy}/`],
  ["small letters first", { https_proxy: proxy, HTTPS_PROXY: "http://other" }, `${proxy}/`],
  ["small letters say none", { https_proxy: "", HTTPS_PROXY: proxy }, "direct"],
  ["without a scheme", { HTTPS_PROXY: "proxy.example:3128" }, `${proxy}/`],
  ["with a password", { HTTPS_PROXY: "http://a:p%40s@p.example" }, "http://a:p%40s@p.example/"],
  ["by TLS", { HTTPS_PROXY: "https://p.example:443" }, "https://p.example/"],
])("[WR65] the proxy is what is named: %s", (_, env, expected) => {
  expect(way(server, env)).toBe(expected);
});

test.each([
  "socks5://127.0.0.1:1080",
  "http://",
  "://",
  "proxy example",
  "http://a:%zz@p.example",
  "http://secret/word@p.example",
  "http://a:12#word@p.example:3128",
  "http://a:12?word@p.example:3128",
])("[WR66] %s is no proxy that can be used, and nothing goes past it", (named) => {
  expect(way(server, { HTTPS_PROXY: named })).toBe("unusable");
});

test.each([
  "https://localhost:8420",
  "https://a.localhost",
  "https://127.0.0.1",
  "https://127.8.9.1:1",
  "https://[::1]:8420",
  "http://tidemark.example",
])("[WR65] %s is never asked for through a proxy", (url) => {
  expect(way(url, { HTTPS_PROXY: proxy })).toBe("direct");
});

test.each(["https://127.0.0.1.example", "https://localhost.example", "https://alocalhost"])(
  "[WR65] %s only looks like this machine",
  (url) => {
    expect(way(url, { HTTPS_PROXY: proxy })).toBe(`${proxy}/`);
  },
);

test.each([
  [server, "*"],
  [server, "tidemark.example"],
  [server, "TIDEMARK.example"],
  [server, "other.example, tidemark.example"],
  [server, "other.example tidemark.example"],
  [server, "example"],
  [server, ".example"],
  [server, "*.example"],
  [server, "tidemark.example:443"],
  [`${server}:8443`, "tidemark.example:8443"],
  [`${server}:8443`, "tidemark.example"],
  ["https://10.1.2.3", "10.1.2.3"],
  ["https://10.1.2.3", "10.0.0.0/8"],
  ["https://10.1.2.3:8443", "10.1.2.3:8443"],
  ["https://[fd00::7]", "fd00::7"],
  ["https://[fd00::7]", "[fd00::7]"],
  ["https://[fd00::7]:8443", "[fd00::7]:8443"],
  ["https://[fd00::7]", "fd00::/8"],
  ["https://[fd00::7]", "FD00:0:0:0:0:0:0:7"],
  ["https://[fd00::7]:8443", "[fd00:0::7]:8443"],
  [server, "tidemark.example."],
  [server, ".example."],
  [`${server}.`, "tidemark.example"],
])("[WR65] %s goes directly where NO_PROXY is %s", (url, exceptions) => {
  expect(way(url, { HTTPS_PROXY: proxy, NO_PROXY: exceptions })).toBe("direct");
  expect(way(url, { HTTPS_PROXY: proxy, no_proxy: exceptions })).toBe("direct");
});

test.each([
  [server, ""],
  [server, ","],
  [server, "mark.example"],
  [server, "tidemark.example.org"],
  [server, "www.tidemark.example"],
  [server, "tidemark.example:8443"],
  [`${server}:8443`, "tidemark.example:443"],
  ["https://10.1.2.3", "10.1.3.0/25,10.2.0.0/16"],
  ["https://10.1.2.3", "0.0.0.0/33"],
  ["https://10.1.2.3", "3"],
  ["https://10.1.2.130", "10.1.2.0/25"],
  ["https://10.1.2.3", "::/0"],
  ["https://[fd00::7]", "fe00::/8"],
  ["https://[fd00::7]", "::/129"],
  ["https://[fd00::7]", "fd00::8,10.0.0.0"],
  [server, "."],
])("[WR65] %s goes through the proxy where NO_PROXY is %j", (url, exceptions) => {
  expect(way(url, { HTTPS_PROXY: proxy, NO_PROXY: exceptions })).toBe(`${proxy}/`);
});
