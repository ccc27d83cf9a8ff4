import { isIP } from "node:net";
import { fail, ok, type Result } from "@tidemark/protocol";
import { isJobProvider, type JobProvider } from "@tidemark/protocol/wire";
import { isNetwork } from "../networks.ts";
import { isLoopback, readOrigin } from "./origin.ts";

/** A parser's answer: the value, or what would be right. */
export type Parsed<T> = Result<T, string>;

/** An absolute or relative folder; any text but control characters. */
export function parseFolder(text: string): Parsed<string> {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[\u0000-\u001f]/.test(text) ? fail("must be the path of a folder") : ok(text);
}

/** A PostgreSQL connection string. The text is a secret and is not repeated. */
export function parseDatabaseUrl(text: string): Parsed<string> {
  if (!/^postgres(?:ql)?:\/\/[^/]/.test(text)) {
    return fail("must look like postgres://user:password@host:5432/database");
  }
  if (isReadable(text)) return ok(text);
  return fail("is no URL; write special characters of the password as %XX, such as %23 for #");
}

function isReadable(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, pathname } = new URL(text);
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** An IP address or a host name to listen on. */
export function parseHost(text: string): Parsed<string> {
  if (isIP(text) !== 0 || /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text)) return ok(text);
  return fail("must be an IP address or a host name, without http:// and port");
}

/** An address and a port to listen on. */
export interface ListenPlace {
  readonly host: string;
  readonly port: number;
}

/** An address to listen on with its port, `[::1]:9464` for IPv6; nothing is no place. */
export function parseListenPlace(text: string): Parsed<ListenPlace | undefined> {
  if (text === "") return ok(undefined);
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const host = parseHost(bracketed ?? plain ?? "");
  const port = parseWholeNumber(digits, { min: 0, max: 65_535 });
  if (host.ok && port.ok) return ok({ host: host.value, port: port.value });
  return fail("must be an address with a port, such as 127.0.0.1:9464");
}

/** A whole number within bounds. */
export function parseWholeNumber(
  text: string,
  bounds: { readonly min: number; readonly max: number },
): Parsed<number> {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= bounds.min && value <= bounds.max) return ok(value);
  return fail(`must be a whole number from ${bounds.min} to ${bounds.max}`);
}

/** One of a few words. */
export function parseOneOf<T extends string>(text: string, words: readonly T[]): Parsed<T> {
  const found = words.find((word) => word === text);
  return found === undefined ? fail(`must be one of ${words.join(", ")}`) : ok(found);
}

/** On or off. */
export function parseSwitch(text: string): Parsed<boolean> {
  const word = parseOneOf(text, ["on", "off"]);
  return word.ok ? ok(word.value === "on") : word;
}

/** Public URLs, separated by commas, each an origin; duplicates count once. */
export function parseOrigins(text: string): Parsed<readonly string[]> {
  const origins: string[] = [];
  for (const part of splitList(text)) {
    const origin = readOrigin(part);
    if (!origin.ok) return origin;
    if (!origins.includes(origin.value.origin)) origins.push(origin.value.origin);
  }
  return ok(origins);
}

/** A CI service, and the `iss` of the tokens that it gives its jobs. */
export interface JobIssuer {
  readonly provider: JobProvider;
  readonly issuer: string;
}

/** Services with their issuers, separated by commas; the issuer is kept as it is written. */
export function parseJobIssuers(text: string): Parsed<readonly JobIssuer[]> {
  const issuers: JobIssuer[] = [];
  for (const part of splitList(text)) {
    const [provider = "", issuer = ""] = part.split("=");
    if (!isJobProvider(provider) || !isIssuer(issuer) || part !== `${provider}=${issuer}`) {
      return fail("must be like github=https://ghe.example/_services/token, with https");
    }
    issuers.push({ provider, issuer });
  }
  return ok(issuers);
}

/**
 * The issuer of an OpenID Connect provider, as its discovery writes it: https, and http for one on
 * this machine; nothing is no provider.
 */
export function parseOidcIssuer(text: string): Parsed<string> {
  if (text === "" || isIssuer(text) || isIssuer(text, "http:")) return ok(text);
  return fail("must be like https://login.example, as the provider's discovery document has it");
}

/** A line that people read, without control characters. */
export function parseLine(text: string, charsMax: number): Parsed<string> {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (text.length <= charsMax && !/[\u0000-\u001f\u007f]/.test(text)) return ok(text);
  return fail(`must be one line of at most ${charsMax} characters`);
}

/** OpenID Connect Discovery §3: https, without query and fragment. */
function isIssuer(text: string, scheme: "https:" | "http:" = "https:"): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(text);
  if (scheme === "http:" && !isLoopback(hostname.replaceAll(/[[\]]/g, ""))) return false;
  return protocol === scheme && [search, hash, username, password].every((part) => part === "");
}

/** Addresses and networks in CIDR form, separated by commas. */
export function parseCidrs(text: string): Parsed<readonly string[]> {
  const parts = splitList(text);
  const wrong = parts.find((part) => !isNetwork(part));
  return wrong === undefined
    ? ok(parts)
    : fail(`must be addresses or networks such as 10.0.0.0/8, not "${wrong}"`);
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
