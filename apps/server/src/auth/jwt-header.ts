import { decodeProtectedHeader } from "jose";

/**
 * The protected header of a compact JWS when it has exactly these members, each a text or (`jwk`)
 * whatever it is; otherwise undefined. So `crit`, `jku`, `x5u`, `zip` and their kind never get as
 * far as a library (AU3).
 */
export function exactHeader(
  token: string,
  members: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
  let header: Readonly<Record<string, unknown>>;
  try {
    header = decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
  const names = Object.keys(header);
  const isExact =
    names.length === members.length && members.every((member) => Object.hasOwn(header, member));
  return isExact ? header : undefined;
}

/** A one-time id as proofs and assertions carry it, or undefined for anything else. */
export function oneTimeId(jti: unknown): string | undefined {
  return typeof jti === "string" && jti.length >= 16 && jti.length <= 64 ? jti : undefined;
}
