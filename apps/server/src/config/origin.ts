import { BlockList, isIP } from "node:net";
import { fail, ok, type Result } from "@tidemark/protocol";

/** A public URL of the server, and how well it is guarded on the way. */
export interface PublicOrigin {
  /** Scheme, host and port, as browsers and DPoP proofs write them. */
  readonly origin: string;
  /** `private-http` is readable by whoever shares that network. */
  readonly kind: "https" | "loopback-http" | "private-http";
}

/**
 * Reads a public URL: https anywhere, http on this machine, and http in a private network, where
 * the caller warns (OPS12). Tokens would cross the open internet in clear otherwise.
 */
export function readOrigin(text: string): Result<PublicOrigin, string> {
  if (!URL.canParse(text)) return fail("must be a URL such as https://tidemark.example");
  const url = new URL(text);
  const isBare =
    url.pathname === "/" &&
    url.search === "" &&
    url.hash === "" &&
    url.username === "" &&
    url.password === "";
  if (!isBare) return fail("must be scheme, host and port only, such as https://tidemark.example");
  if (url.protocol === "https:") return ok({ origin: url.origin, kind: "https" });
  if (url.protocol !== "http:") return fail("must begin with https://");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isLoopback(host)) return ok({ origin: url.origin, kind: "loopback-http" });
  if (isPrivate(host)) return ok({ origin: url.origin, kind: "private-http" });
  return fail("must begin with https:// outside a private network");
}

/** True for names and addresses of this machine alone. */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
}

/** Names that exist only in local networks (RFC 6762, RFC 8375) and in common private ones. */
const privateSuffixes = [".local", ".lan", ".internal", ".home.arpa", ".ts.net"];

function isPrivate(host: string): boolean {
  const family = isIP(host);
  if (family !== 0) return privateNetworks.check(host, family === 6 ? "ipv6" : "ipv4");
  return !host.includes(".") || privateSuffixes.some((suffix) => host.endsWith(suffix));
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** RFC 1918, RFC 3927, RFC 6598 (also used by private overlays), RFC 4193, RFC 4291. */
const privateNetworks = new BlockList();
privateNetworks.addSubnet("10.0.0.0", 8, "ipv4");
privateNetworks.addSubnet("172.16.0.0", 12, "ipv4");
privateNetworks.addSubnet("192.168.0.0", 16, "ipv4");
privateNetworks.addSubnet("169.254.0.0", 16, "ipv4");
privateNetworks.addSubnet("100.64.0.0", 10, "ipv4");
privateNetworks.addSubnet("fc00::", 7, "ipv6");
privateNetworks.addSubnet("fe80::", 10, "ipv6");
