import { fail, ok, type Result } from "@tidemark/protocol";
import * as oauth from "oauth4webapi";
import { serverLimits } from "../../limits.ts";
import { secretHash } from "../link-secrets.ts";

const { cooldownMs, keysMs } = serverLimits.issuers;
/** How long ago a provider may have asked for the person, in seconds (CO5). */
const askedSecondsMax = serverLimits.console.freshMs / 1000;

/** The provider of OpenID Connect that a server is told of by who runs it. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client, which PKCE alone guards. */
  readonly clientSecret: string | undefined;
  /** What people call it. */
  readonly label: string;
}

/** A request to the provider, whole; what is late or too long is none and throws. */
export type ProviderFetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
  },
) => Promise<Response>;

/** Who somebody is by the provider's word. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** When it asked for them. */
  readonly askedAtMs: number;
}

/** Why nobody is known: the provider does not answer, or what came back proves nothing. */
export type OidcError = "unavailable" | "refused";

/** A sign-in of one browser: what it keeps in its cookie, and where the answer has to come. */
export interface OidcFlow {
  readonly secret: string;
  readonly redirectUri: string;
}

/** The provider, as far as signing in goes (CO10). */
export interface OidcProvider {
  readonly issuer: string;
  readonly label: string;
  /** The address that a browser goes to. */
  begin(flow: OidcFlow): Promise<Result<string, OidcError>>;
  /** Who came back with this address. */
  finish(flow: OidcFlow, answer: URL): Promise<Result<ProvenIdentity, OidcError>>;
}

interface ProviderDeps {
  readonly clock: { nowMs(): number };
  readonly sha256: Parameters<typeof secretHash>[0]["sha256"];
  readonly fetch: ProviderFetch;
}

/**
 * What a flow's secret stands for: three values that tell nothing of it or of each other. A code
 * that was taken elsewhere is worth nothing in a browser with another secret, for its verifier and
 * its nonce are others.
 */
export function flowPart(
  deps: Pick<ProviderDeps, "sha256">,
  secret: string,
  part: "state" | "nonce" | "verifier",
): string {
  return secretHash(deps, `oidc ${part} ${secret}`);
}

/** Asks the provider what its discovery tells, at most once in a while, and checks what it answers. */
export function createOidcProvider(deps: ProviderDeps, settings: OidcSettings): OidcProvider {
  const { issuer, label, clientId } = settings;
  const client: oauth.Client = { client_id: clientId };
  const metadata = createMetadata(deps, issuer);
  return {
    issuer,
    label,
    begin: async ({ secret, redirectUri }) => {
      const server = await metadata();
      if (server?.authorization_endpoint === undefined) return fail("unavailable");
      const url = new URL(server.authorization_endpoint);
      const verifier = flowPart(deps, secret, "verifier");
      const asked = {
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid",
        state: flowPart(deps, secret, "state"),
        nonce: flowPart(deps, secret, "nonce"),
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        max_age: String(askedSecondsMax),
      };
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
      return ok(url.href);
    },
    finish: async ({ secret, redirectUri }, answer) => {
      const server = await metadata();
      if (server === undefined) return fail("unavailable");
      const call = callOptions(deps.fetch, issuer);
      try {
        const state = flowPart(deps, secret, "state");
        const parameters = oauth.validateAuthResponse(server, client, answer, state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          clientAuth(server, settings.clientSecret),
          parameters,
          redirectUri,
          flowPart(deps, secret, "verifier"),
          call.options,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: flowPart(deps, secret, "nonce"),
          maxAge: askedSecondsMax,
          requireIdToken: true,
        });
        await oauth.validateApplicationLevelSignature(server, response, call.options);
        const claims = oauth.getValidatedIdTokenClaims(tokens);
        if (claims?.auth_time === undefined) return fail("refused");
        const { iss, sub, auth_time: askedAt } = claims;
        const askedAtMs = Math.min(askedAt * 1000, deps.clock.nowMs());
        return ok({ issuer: iss, subject: sub, askedAtMs });
      } catch {
        // What came back may hold a code or a token, so nothing of it is told.
        return fail(call.isAway() ? "unavailable" : "refused");
      }
    },
  };
}

/** By header where the provider takes that, as the standard presets, and in the form else. */
function clientAuth(
  server: oauth.AuthorizationServer,
  secret: string | undefined,
): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

/** Plain HTTP is for a provider on this machine; the settings let no other one be named. */
function callOptions(fetch: ProviderFetch, issuer: string) {
  let isAway = false;
  const options = {
    [oauth.allowInsecureRequests]: issuer.startsWith("http:"),
    [oauth.customFetch]: async (
      url: string,
      asked: {
        readonly method: string;
        readonly headers: Readonly<Record<string, string>>;
        readonly body?: URLSearchParams | null | undefined;
      },
    ): Promise<Response> => {
      const { method, headers } = asked;
      const text = asked.body?.toString();
      const response = await fetch(url, { method, headers, body: text }).catch((cause: unknown) => {
        isAway = true;
        throw new Error("the provider does not answer", { cause });
      });
      isAway = response.status >= 500;
      return response;
    },
  };
  return { options, isAway: () => isAway };
}

/** What the provider's discovery tells, by its own origin; after a failure it is left alone. */
function createMetadata(
  { clock, fetch }: ProviderDeps,
  issuer: string,
): () => Promise<oauth.AuthorizationServer | undefined> {
  let known: Promise<oauth.AuthorizationServer> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  const discover = async (): Promise<oauth.AuthorizationServer> => {
    const at = new URL(issuer);
    const response = await oauth.discoveryRequest(at, callOptions(fetch, issuer).options);
    return await oauth.processDiscoveryResponse(at, response);
  };
  return async () => {
    const nowMs = clock.nowMs();
    // Both ways: a clock that was ahead is set back.
    if (Math.abs(nowMs - failedAtMs) < cooldownMs) return undefined;
    if (Math.abs(nowMs - askedAtMs) >= keysMs) {
      known = undefined;
      askedAtMs = nowMs;
    }
    try {
      return await (known ??= discover());
    } catch {
      known = undefined;
      failedAtMs = clock.nowMs();
      return undefined;
    }
  };
}
