/** What the client and its child at the keychain say to each other: one line of JSON each. */

/** One thing that is asked of the keychain. */
export interface KeychainRequest {
  readonly op: "keep" | "read" | "remove";
  readonly account: string;
  readonly secret?: string;
  /** The child ends itself after this many milliseconds, should nobody be left to end it. */
  readonly waitMs: number;
}

/** What it answered. */
export type KeychainAnswer =
  | { readonly kind: "found"; readonly secret: string }
  | { readonly kind: "none" }
  | { readonly kind: "refused" }
  | { readonly kind: "not-installed" };

/** Reads a line of the client's; undefined for anything else. */
export function parseRequest(text: string): KeychainRequest | undefined {
  const { op, account, secret, waitMs } = objectOf(text) ?? {};
  if (op !== "keep" && op !== "read" && op !== "remove") return undefined;
  if (typeof account !== "string" || typeof waitMs !== "number") return undefined;
  return typeof secret === "string" ? { op, account, secret, waitMs } : { op, account, waitMs };
}

/** Reads a line of the child's; undefined for anything else. */
export function parseAnswer(text: string): KeychainAnswer | undefined {
  const { kind, secret } = objectOf(text) ?? {};
  if (kind === "found") return typeof secret === "string" ? { kind, secret } : undefined;
  return kind === "none" || kind === "refused" || kind === "not-installed" ? { kind } : undefined;
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
