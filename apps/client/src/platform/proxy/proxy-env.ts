import { BlockList, isIP } from "node:net";
import type { Environment } from "../paths.ts";

/** By which way a connection goes. */
export type Way =
  | { readonly kind: "direct" }
  | { readonly kind: "proxy"; readonly proxy: URL }
  /** The environment names a proxy, but none that can be used. */
  | { readonly kind: "unusable" };

/**
 * How `HTTPS_PROXY` and `NO_PROXY` let a connection to an https address go, as curl and Go read them:
 * the name in small letters wins, an address without a scheme is plain http's, and this machine is
 * never asked for through a proxy. Plain http reaches private networks alone (AU56): it goes directly.
 */
export function wayTo(url: URL, env: Environment): Way {
  const named = read(env, "https_proxy");
  if (named === "" || url.protocol !== "https:" || isNear(url.hostname)) return { kind: "direct" };
  if (isExcepted(url, read(env, "no_proxy"))) return { kind: "direct" };
  const text = named.includes("://") ? named : `http://${named}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  return proxy !== undefined && isUsable(proxy) ? { kind: "proxy", proxy } : { kind: "unusable" };
}

function read(env: Environment, name: string): string {
  return (env[name] ?? env[name.toUpperCase()] ?? "").trim();
}

function isUsable(proxy: URL): boolean {
  const { protocol, hostname, username, password } = proxy;
  if (protocol !== "http:" && protocol !== "https:") return false;
  // A bare / ? or # in a password ends the host before it begins: a part of the password is none.
  if (`${proxy.pathname}${proxy.search}${proxy.hash}`.includes("@")) return false;
  return hostname !== "" && isEncoded(username) && isEncoded(password);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isNear(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/u.test(hostname);
}

/** `NO_PROXY`: names with all below them, addresses, ranges such as 10.0.0.0/8, each with a port or not. */
function isExcepted({ hostname, port }: URL, noProxy: string): boolean {
  const host = bare(hostname);
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/u)
    .some((entry) => entry !== "" && matches(entry, host, port || "443"));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, name = entry, onlyPort = port] = /^(\[.+\]|[^:]+):(\d+)$/u.exec(entry) ?? [];
  if (onlyPort !== port) return false;
  const wanted = bare(name).replace(/^\*?\./u, "");
  if (isIP(host) !== 0) return isInRange(wanted, host);
  return host === wanted || host.endsWith(`.${wanted}`);
}

/** Whether an address is in a range, or is the one that is named; it may be spelt in another way. */
function isInRange(range: string, host: string): boolean {
  const [, network = "", named] = /^([\d.:a-f]+)(?:\/(\d{1,3}))?$/u.exec(range) ?? [];
  const family = isIP(network);
  const bitsMax = family === 4 ? 32 : 128;
  const bits = Number(named ?? bitsMax);
  if (family === 0 || family !== isIP(host) || bits > bitsMax) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, bits, type);
  return list.check(host, type);
}

/** An IPv6 address without its brackets, a name without the dot that may end it. */
function bare(host: string): string {
  return host.replace(/^\[(.+)\]$/u, "$1").replace(/\.$/u, "");
}
