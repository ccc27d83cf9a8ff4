/**
 * The network an address belongs to, for counting requests: an IPv4 address itself, also when it
 * comes mapped into IPv6, and the first 56 bits of an IPv6 address, which one customer owns.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return "unknown";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [left = "", right = ""] = (address.split("%")[0] ?? "").split("::");
  const before = left.split(":").filter((group) => group !== "");
  const after = right.split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
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
