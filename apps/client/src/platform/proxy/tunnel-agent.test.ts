import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import https from "node:https";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { systemHttp } from "../http.ts";
import { createSecureAgents } from "./secure-agents.ts";
import { startTestProxy, type TestProxy } from "./testing/test-proxy.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-tunnel-"));
let server: https.Server;
let secrets: { readonly key: Buffer; readonly cert: Buffer };
let proxy: TestProxy;

beforeAll(async () => {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  const named = [
    "-subj",
    "/CN=t",
    "-addext",
    "subjectAltName=DNS:tidemark.invalid,IP:fd00::7,IP:127.0.0.1",
  ];
  execFileSync("openssl", ["req", "-x509", ...made, ...named], { stdio: "ignore" });
  secrets = { key: readFileSync(key), cert: readFileSync(cert) };
  server = https.createServer(secrets, (request, response) => {
    request.resume().once("end", () => response.end(`${request.method} ${request.url}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
beforeEach(async () => {
  // Whatever goes past a proxy where this runs.
  vi.stubEnv("no_proxy", "");
  proxy = await startTestProxy((server.address() as AddressInfo).port);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await proxy.close();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function agents(named = proxy.url): (url: string) => https.Agent {
  return createSecureAgents({ keepAlive: true, ca: secrets.cert }, { HTTPS_PROXY: named });
}

async function textOf(url: string, agent: https.Agent): Promise<string> {
  const sent = https.request(url, { agent, method: "POST" });
  sent.end("body");
  const [answer] = (await once(sent, "response")) as [NodeJS.ReadableStream];
  let text = "";
  for await (const piece of answer) text += String(piece);
  return text;
}

test("[WR65] the proxy reaches what this device cannot, and is told its name and port alone", async () => {
  const url = "https://tidemark.invalid:8443/v1/hello?a=1";
  expect(await textOf(url, agents()(url))).toBe("POST /v1/hello?a=1");
  expect(proxy.asked).toEqual([
    { path: "tidemark.invalid:8443", host: "tidemark.invalid:8443", authorization: undefined },
  ]);
});

test("[WR65] https's own port, an IPv6 address and a password are told as the proxy reads them", async () => {
  const url = "https://[fd00::7]/";
  const agent = agents(proxy.url.replace("//", "//ada:p%40ss%3A@"))(url);
  expect(await textOf(url, agent)).toBe("POST /");
  const authorization = `Basic ${Buffer.from("ada:p@ss:").toString("base64")}`;
  expect(proxy.asked).toEqual([{ path: "[fd00::7]:443", host: "[fd00::7]:443", authorization }]);
});

test("[WR65] a tunnel is used again, and each server has its own", async () => {
  const agentFor = agents();
  const url = "https://tidemark.invalid:8443/";
  for (let count = 0; count < 3; count += 1) await textOf(url, agentFor(url));
  expect(proxy.asked).toHaveLength(1);
  const other = "https://tidemark.invalid:8444/";
  await textOf(other, agentFor(other));
  expect(proxy.asked.map(({ path }) => path)).toEqual([
    "tidemark.invalid:8443",
    "tidemark.invalid:8444",
  ]);
});

test("[WR65] a proxy may speak TLS itself, if somebody vouches for it", async () => {
  const safe = await startTestProxy((server.address() as AddressInfo).port, secrets);
  const url = "https://tidemark.invalid/";
  expect(await textOf(url, agents(safe.url)(url))).toBe("POST /");
  expect(safe.asked).toHaveLength(1);
  const strangers = createSecureAgents({}, { HTTPS_PROXY: safe.url })(url);
  await expect(textOf(url, strangers)).rejects.toMatchObject({ code: "PROXY_UNREACHABLE" });
  expect(safe.asked).toHaveLength(1);
  await safe.close();
});

test("[WR65] TLS is with the server: a proxy that puts itself in its place is not trusted", async () => {
  const url = "https://elsewhere.invalid/";
  await expect(textOf(url, agents()(url))).rejects.toMatchObject({
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
  });
});

test.each([
  [407, "PROXY_AUTHENTICATION"],
  [401, "PROXY_AUTHENTICATION"],
  [403, "PROXY_REFUSED"],
  [301, "PROXY_REFUSED"],
  [502, "PROXY_REACHES_NOBODY"],
])(
  "[WR66] a proxy's %i is told as %s, and nothing was sent to the server",
  async (status, code) => {
    proxy.answer = status;
    const url = "https://tidemark.invalid/";
    await expect(textOf(url, agents()(url))).rejects.toMatchObject({ code });
    await vi.waitUntil(() => proxy.open() === 0);
  },
);

test.each(["broken off", "no HTTP"] as const)(
  "[WR66] a proxy that answers by %s is not there",
  async (how) => {
    proxy.answer = how;
    const url = "https://tidemark.invalid/";
    await expect(textOf(url, agents()(url))).rejects.toMatchObject({ code: "PROXY_UNREACHABLE" });
  },
);

test("[WR66] a proxy that cannot be reached is told as that", async () => {
  await proxy.close();
  const url = "https://tidemark.invalid/";
  await expect(textOf(url, agents()(url))).rejects.toMatchObject({ code: "PROXY_UNREACHABLE" });
});

test("[WR66] what is no proxy fails each request", async () => {
  vi.stubEnv("https_proxy", "socks5://127.0.0.1:1080");
  const request = { method: "GET", url: "https://tidemark.invalid/", headers: {} } as const;
  await expect(systemHttp.send(request)).rejects.toMatchObject({ code: "PROXY_UNUSABLE" });
});

test("[WR34] a request that is given up leaves a silent proxy", async () => {
  proxy.answer = "nothing";
  vi.stubEnv("https_proxy", proxy.url);
  const giveUp = new AbortController();
  const url = "https://tidemark.invalid/";
  const sent = systemHttp.send({ method: "GET", url, headers: {}, signal: giveUp.signal });
  await vi.waitUntil(() => proxy.asked.length === 1);
  giveUp.abort();
  await expect(sent).rejects.toThrow(/abort/iu);
  await vi.waitUntil(() => proxy.open() === 0);
});
