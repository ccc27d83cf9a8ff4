import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { OidcSettings } from "../oidc/provider.ts";

/** A provider of OpenID Connect on this machine, with accounts that anybody may say to be. */
export interface TestProvider {
  readonly settings: OidcSettings;
  /** Paths that it was asked for, in order. */
  readonly asked: string[];
  /** What it tells of an account beside its identifier. */
  readonly claims: Map<string, Readonly<Record<string, unknown>>>;
  /** Goes there as a browser and signs in; gives the address that it leads back to. */
  signIn(address: string, login: string): Promise<string>;
  close(): Promise<void>;
}

/** How a client proves to the provider who it is. */
export type ClientProof = "client_secret_basic" | "client_secret_post" | "none";

/** Starts a provider that knows one client with these addresses to come back to. */
export async function startTestProvider(
  redirectUris: readonly string[],
  proof: ClientProof = "client_secret_basic",
): Promise<TestProvider> {
  const asked: string[] = [];
  const claims: TestProvider["claims"] = new Map();
  let answer: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => {
    asked.push(request.url?.split("?")[0] ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientSecret = proof === "none" ? undefined : "a-test-secret";
  const settings = { issuer, clientId: "tidemark", clientSecret, label: "Acme" };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: settings.clientId,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
        token_endpoint_auth_method: proof,
        redirect_uris: redirectUris,
        application_type: "web",
      },
    ],
    claims: { openid: ["sub", "email", "email_verified", "preferred_username"] },
    conformIdTokenClaims: false,
    clientAuthMethods: [proof],
    pkce: { required: () => true },
    cookies: { keys: ["a-test-key"] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ ...claims.get(id), sub: id }),
    }),
  });
  answer = provider.callback();
  return {
    settings,
    asked,
    claims,
    signIn: async (address, login) => await walk(issuer, address, login),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Follows what the provider answers, filling its forms, until it leads elsewhere. */
async function walk(issuer: string, address: string, login: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = address;
  let body: URLSearchParams | undefined;
  for (let steps = 0; steps < 12; steps += 1) {
    if (!at.startsWith(issuer)) return at;
    const response = await fetch(at, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/s);
      cookies.set(name, value);
    }
    const text = await response.text();
    const action = / action="([^"]+)"/.exec(text)?.[1];
    const next = response.headers.get("location") ?? action;
    if (next === undefined)
      throw new Error(`the provider leads nowhere: ${response.status} ${text}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1] ?? "";
    body =
      action === undefined ? undefined : new URLSearchParams({ prompt, login, password: "any" });
    at = new URL(next, at).href;
  }
  throw new Error("the provider goes on and on");
}
