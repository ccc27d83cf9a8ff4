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
