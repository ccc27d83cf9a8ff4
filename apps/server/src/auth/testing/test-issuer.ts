import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";

/** What a test may change about a token before it is signed. */
export interface TokenChange {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** The key that signs; the issuer's own unless given. */
  readonly key?: CryptoKey | Uint8Array;
}

/** A CI service as far as tokens go: a real server on this machine, with real keys. */
export interface TestIssuer {
  readonly issuer: string;
  /** Paths that it was asked for, in order. */
  readonly asked: string[];
  /** Answers in place of its own documents, by path. */
  readonly answers: Map<string, { readonly status: number; readonly body: string }>;
  /** A token with these claims, issued at a moment, for five minutes. */
  token(nowMs: number, change: TokenChange): Promise<string>;
  /** Puts another key in the place of the one that signs. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an issuer; with a certificate for `localhost` it speaks https. */
export async function startTestIssuer(tls?: {
  readonly key: string;
  readonly cert: string;
}): Promise<TestIssuer> {
  const asked: string[] = [];
  const answers: TestIssuer["answers"] = new Map();
  let signing = await newKey("key-0");
  let rotations = 0;
  let drawn = 0;
  const documents = (issuer: string): Readonly<Record<string, object>> => ({
    "/.well-known/openid-configuration": { issuer, jwks_uri: `${issuer}/keys` },
    "/keys": { keys: [signing.jwk] },
  });
  const answer: RequestListener = (request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const own = documents(issuer)[path];
    const { status, body } = answers.get(path) ?? {
      status: own === undefined ? 404 : 200,
      body: JSON.stringify(own ?? {}),
    };
    // Status 0 stands for one that takes the request and never answers.
    if (status !== 0) response.writeHead(status, { "content-type": "application/json" }).end(body);
  };
  const server = tls === undefined ? createServer(answer) : createSecureServer(tls, answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const issuer = issuerOf(server, tls !== undefined);
  return {
    issuer,
    asked,
    answers,
    token: async (nowMs, { claims, header, key }) => {
      drawn += 1;
      const iat = Math.floor(nowMs / 1_000);
      const said = { iss: issuer, iat, nbf: iat, exp: iat + 300, jti: `token-${drawn}`, ...claims };
      return await new SignJWT(said)
        .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: signing.kid, ...header })
        .sign(key ?? signing.key);
    },
    rotate: async () => {
      rotations += 1;
      signing = await newKey(`key-${rotations}`);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function issuerOf(server: Pick<Server, "address">, isSecure: boolean): string {
  const { port } = server.address() as AddressInfo;
  return isSecure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
}

async function newKey(kid: string): Promise<{ kid: string; key: CryptoKey; jwk: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" };
  return { kid, key: privateKey, jwk };
}

/** What GitHub says of a job that a push to `main` has set off. */
export function githubClaims(audience: string): Readonly<Record<string, unknown>> {
  return {
    aud: audience,
    sub: "repo:acme/app:ref:refs/heads/main",
    repository: "acme/app",
    repository_id: "11",
    repository_owner: "acme",
    ref: "refs/heads/main",
    ref_type: "branch",
    event_name: "push",
    run_id: "5",
  };
}

/** What GitLab says of one. */
export function gitlabClaims(audience: string): Readonly<Record<string, unknown>> {
  return {
    aud: audience,
    sub: "project_path:acme/group/app:ref_type:branch:ref:main",
    project_path: "acme/group/app",
    project_id: "11",
    ref: "main",
    ref_type: "branch",
    ref_protected: "true",
    pipeline_source: "push",
  };
}
