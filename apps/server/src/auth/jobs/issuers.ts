import { fail, ok, type Result } from "@tidemark/protocol";
import type { JobProvider } from "@tidemark/protocol/wire";
import { createRemoteJWKSet, customFetch, type CryptoKey, type JWSHeaderParameters } from "jose";
import { z } from "zod";
import { serverLimits } from "../../limits.ts";

/** Somebody whose tokens are looked at: a CI service, and the `iss` of what it signs. */
export interface Issuer {
  readonly provider: JobProvider;
  readonly issuer: string;
}

/** The public services. Others are named by who runs the server, and by nobody else. */
export const publicIssuers: readonly Issuer[] = [
  { provider: "github", issuer: "https://token.actions.githubusercontent.com" },
  { provider: "gitlab", issuer: "https://gitlab.com" },
];

/** An answer to a GET, whole; what is late, too long or redirects is none and throws. */
export type IssuerFetch = (
  url: string,
  signal?: AbortSignal,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Why there is no key: the issuer does not answer, or it has none for this token. */
export type IssuerKeyError = "unavailable" | "unknown-key";

/** The keys of the issuers that a server takes tokens of. */
export interface IssuerKeys {
  /** The issuer of this exact name; undefined for all others, of which nothing is fetched. */
  named(issuer: string): Issuer | undefined;
  key(
    issuer: Issuer,
    header: JWSHeaderParameters,
  ): Promise<Result<CryptoKey | Uint8Array, IssuerKeyError>>;
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** What is known of one issuer. */
interface Known {
  keys: Promise<KeySet> | undefined;
  /** When it did not answer; it is asked no more for a while. */
  failedAtMs: number | undefined;
}

const { answerMsMax, cooldownMs, keysMs } = serverLimits.issuers;

/**
 * Makes the keys of issuers. An issuer is asked when the first token of it comes, and for a key that
 * is not known at most once in {@link cooldownMs}, however many tokens name one. One that does not
 * answer is left alone as long.
 */
export function createIssuerKeys(
  deps: { readonly clock: { nowMs(): number }; readonly fetch: IssuerFetch },
  issuers: readonly Issuer[],
): IssuerKeys {
  const knownByIssuer = new Map<string, Known>();
  return {
    named: (issuer) => issuers.find((one) => one.issuer === issuer),
    key: async ({ issuer }, header) => {
      const known = knownByIssuer.get(issuer) ?? { keys: undefined, failedAtMs: undefined };
      knownByIssuer.set(issuer, known);
      const { failedAtMs } = known;
      // Both ways: a clock that was ahead is set back.
      const isResting =
        failedAtMs !== undefined && Math.abs(deps.clock.nowMs() - failedAtMs) < cooldownMs;
      if (isResting) return fail("unavailable");
      const rest = (): Result<never, IssuerKeyError> => {
        known.keys = undefined;
        known.failedAtMs = deps.clock.nowMs();
        return fail("unavailable");
      };
      const keys = await (known.keys ??= discover(deps.fetch, issuer)).catch(() => undefined);
      if (keys === undefined) return rest();
      try {
        return ok(await keys(header));
      } catch (cause) {
        return isAway(cause) ? rest() : fail("unknown-key");
      }
    },
  };
}

/** Whether it was the issuer that failed. What a token names is never enough for that. */
function isAway(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return awayCodes.some((one) => one === code);
}

const issuerAway = "ISSUER_AWAY";
/** Ours, and what jose makes of an answer that is late or no set of keys. */
const awayCodes = [issuerAway, "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"];

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Where its keys are, by its own word, and on its own origin alone (OpenID Connect Discovery §4). */
async function discover(fetch: IssuerFetch, issuer: string): Promise<KeySet> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const { status, text } = await fetch(url);
  const metadata = metadataSchema.parse(status === 200 ? JSON.parse(text) : undefined);
  const keys = new URL(metadata.jwks_uri);
  if (metadata.issuer !== issuer || keys.origin !== new URL(issuer).origin) {
    throw new Error("the issuer's metadata is of somebody else");
  }
  return createRemoteJWKSet(keys, {
    timeoutDuration: answerMsMax,
    cooldownDuration: cooldownMs,
    cacheMaxAge: keysMs,
    [customFetch]: async (at, { signal }) => {
      const answer = await fetch(at, signal).catch((error: unknown) => {
        throw Object.assign(new Error("the issuer does not answer", { cause: error }), {
          code: issuerAway,
        });
      });
      return new Response(answer.text, { status: answer.status });
    },
  });
}
