import { isLoopback } from "../config/origin.ts";
import type { PublicUrls } from "../auth/auth-deps.ts";

/** Where a browser reaches the console, and how its session is kept there. */
export interface Place {
  readonly origin: string;
  /** `__Host-` keeps other hosts and plain HTTP from setting it; a port tells servers apart. */
  readonly cookieName: string;
  readonly isSecure: boolean;
}

/** Why there is no console at an address: the server is not called so, or everybody could listen. */
export type NoPlace = "misdirected" | "needs-https";

/**
 * Finds the public URL that a browser has called (CO6). Any other host is none of ours: a page of
 * a stranger may have its name point here.
 */
export function placeOf(publicUrls: PublicUrls, host: string | undefined): Place | NoPlace {
  const called = publicUrls.map((url) => new URL(url)).find((url) => url.host === host);
  if (called === undefined) return "misdirected";
  const { origin, protocol, hostname, port } = called;
  if (protocol === "https:") return { origin, cookieName: "__Host-tidemark", isSecure: true };
  if (!isLoopback(hostname.replaceAll(/[[\]]/g, ""))) return "needs-https";
  return { origin, cookieName: `tidemark-${port === "" ? "80" : port}`, isSecure: false };
}

/** The `Set-Cookie` of a session, or of its end. */
export function sessionCookie(place: Place, secret: string, lifeMs: number): string {
  const parts = [
    `${place.cookieName}=${secret}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Strict",
    `Max-Age=${Math.floor(lifeMs / 1000)}`,
  ];
  return [...parts, ...(place.isSecure ? ["Secure"] : [])].join("; ");
}

/** The name of the cookie that binds a sign-in at the provider to this browser. */
export function flowCookieName({ cookieName }: Place): string {
  return `${cookieName}-oidc`;
}

/**
 * The `Set-Cookie` of a sign-in at the provider, or of its end. The answer comes from another site,
 * so it is `Lax`; it signs nobody in by itself.
 */
export function flowCookie(place: Place, secret: string, lifeMs: number): string {
  const session = sessionCookie({ ...place, cookieName: flowCookieName(place) }, secret, lifeMs);
  return session.replace("SameSite=Strict", "SameSite=Lax");
}

/** The value of a cookie; undefined where there is none, or there are several of the name. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const values = (header ?? "").split(";").flatMap((pair) => {
    const [key = "", ...value] = pair.trim().split("=");
    return key === name ? [value.join("=")] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}
