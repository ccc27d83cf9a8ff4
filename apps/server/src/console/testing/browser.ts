import { ask, type Server, type TestClient } from "../../http/testing/client.ts";

/** A browser with the cookies of one session, which sends what a page's form would. */
export interface TestBrowser {
  readonly cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Sends a form with what the session's pages carry; `given` replaces or adds headers. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    given?: { readonly headers?: Readonly<Record<string, string>>; readonly csrf?: string },
  ): Promise<Response>;
}

/** Asks a paired device for a sign-in link and gives its secret. */
export async function linkSecret(client: TestClient): Promise<string> {
  const { path } = await client.call<{ path: string }>("POST", "/v1/console/links");
  return path.split("#")[1] ?? "";
}

/** Opens a link as the page at its end does. */
export async function openLink(
  server: Server,
  link: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await ask(server, "/console/enter", {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      origin: server.url,
      ...headers,
    },
    body: new URLSearchParams({ link }).toString(),
  });
}

/** A browser that holds this cookie, whatever it is worth. */
export async function browserWith(server: Server, cookie: string): Promise<TestBrowser> {
  const get: TestBrowser["get"] = async (path, headers = {}) =>
    await ask(server, path, { headers: { cookie, ...headers }, redirect: "manual" });
  const page = await (await get("/console/namespaces")).text();
  const own = /name="csrf" value="([\w-]+)"/.exec(page)?.[1] ?? "none";
  return {
    cookie,
    get,
    post: async (path, fields, given = {}) =>
      await ask(server, path, {
        method: "POST",
        redirect: "manual",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          origin: server.url,
          "sec-fetch-site": "same-origin",
          cookie,
          ...given.headers,
        },
        body: new URLSearchParams({ csrf: given.csrf ?? own, ...fields }).toString(),
      }),
  };
}

/** Signs a browser in as a client's person. */
export async function signInBrowser(server: Server, client: TestClient): Promise<TestBrowser> {
  const answer = await openLink(server, await linkSecret(client));
  if (answer.status !== 200) throw new Error(`signing in: ${answer.status}`);
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return await browserWith(server, cookie);
}
