import { fail, ok, type Result } from "@tidemark/protocol";

/** Why an address is not used. */
export interface AddressError {
  readonly code: "bad-address" | "not-https";
  readonly message: string;
  readonly hint: string;
}

/**
 * Checks a server's address and gives its origin (AU56). Plain http reaches this device alone, or,
 * where the person says so, a machine of the private network: on any other way every reader on it
 * would see the memory.
 */
export function checkServerAddress(
  text: string,
  options: { readonly allowPlainLan: boolean },
): Result<string, AddressError> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === "http:";
  if (url === undefined || (!isPlain && url.protocol !== "https:") || url.username !== "") {
    return fail({
      code: "bad-address",
      message: "this is no server address",
      hint: "give an address such as https://tidemark.example",
    });
  }
  if (!isPlain || isLoopback(url.hostname)) return ok(url.origin);
  if (options.allowPlainLan && isPrivateHost(url.hostname)) return ok(url.origin);
  return fail({
    code: "not-https",
    message: "the address is not https: everybody on the way could read your memory",
    hint: isPrivateHost(url.hostname)
      ? "use https, or repeat with --allow-http if this network is yours"
      : "use the server's https address",
  });
}

/** Whether a text is the address of a server, rather than a link to it. */
export function isServerAddress(text: string): boolean {
  return /^https?:\/\/[^#]*$/i.test(text.trim());
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "[::1]" || host.endsWith(".localhost")) return true;
  return isMatch(host, [/^127\./]);
}

/** Whether a host can only be near: a private address, or a name that no public DNS has. */
export function isPrivateHost(host: string): boolean {
  if (host.startsWith("[")) return /^\[(?:f[cd]|fe[89ab])/i.test(host);
  if (isAddress(host)) return isMatch(host, privateRanges);
  return !host.includes(".") || /\.(?:local|lan|internal|home\.arpa)$/i.test(host);
}

/** RFC 1918, link-local, and the range that carriers and VPNs such as Tailscale use (RFC 6598). */
const privateRanges: readonly RegExp[] = [
  /^10\./,
  /^192\.168\./,
  /^169\.254\./,
  /^172\.(?:1[6-9]|2\d|3[01])\./,
  /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
];

function isMatch(host: string, ranges: readonly RegExp[]): boolean {
  return isAddress(host) && ranges.some((range) => range.test(host));
}

function isAddress(host: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host);
}
