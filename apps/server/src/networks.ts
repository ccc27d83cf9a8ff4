import { BlockList, isIP } from "node:net";

/** Whether a text is an address, or a network in CIDR form. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/**
 * Tells whether an address lies in one of these addresses and networks. An IPv4 address and the
 * same one mapped into IPv6 are one, on either side.
 */
export function createNetworkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
  };
}

/** Whether somebody may come from there: anybody where no networks are named (PR14). */
export function isWithin(
  networks: readonly string[] | undefined,
  address: string | undefined,
): boolean {
  if (networks === undefined) return true;
  return address !== undefined && createNetworkCheck(networks)(address);
}
