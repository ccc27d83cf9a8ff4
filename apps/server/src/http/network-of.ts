import { isIP } from "node:net";

/**
 * The network an address belongs to, for counting requests: an IPv4 address itself, also when it
 * comes mapped into IPv6, and the first 56 bits of an IPv6 address, which one customer owns.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return "unknown";
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  const mapped = mappedAddress(groups);
  if (mapped !== undefined) return mapped;
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  return [first, second, third, fourth & 0xff00].map((group) => group.toString(16)).join(":");
}

/**
 * The network an address belongs to, as a person is told it and the audit keeps it: the first 24
 * bits of an IPv4 address, the first 56 of an IPv6 address. Undefined where there is no address.
 */
export function networkPrefix(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const network = networkOf(address);
  if (network.includes(":")) return `${network}::/56`;
  const [, prefix] = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(network) ?? [];
  return prefix === undefined ? undefined : `${prefix}.0/24`;
}

/**
 * The address in one entry of `X-Forwarded-For`, where some proxies add a port and put IPv6 into
 * brackets; undefined where it is none, such as `unknown`.
 */
export function forwardedAddress(entry: string): string | undefined {
  const text = entry.trim();
  const bare =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ??
    /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(text)?.[1] ??
    text;
  return isIP(bare) === 0 ? undefined : bare;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
  const hex = (address.split("%")[0] ?? "").replace(
    dotted,
    (_, ...bytes: readonly string[]) =>
      `${hexGroup(bytes[0], bytes[1])}:${hexGroup(bytes[2], bytes[3])}`,
  );
  const [left = "", right = ""] = hex.split("::");
  const before = left.split(":").filter((group) => group !== "");
  const after = right.split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

function hexGroup(high = "0", low = "0"): string {
  return (Number(high) * 256 + Number(low)).toString(16);
}

/** The IPv4 address of `::ffff:0:0/96`, however its last groups were written. */
function mappedAddress(groups: readonly number[]): string | undefined {
  const [high = 0, low = 0] = groups.slice(6);
  if (groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return undefined;
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}
