import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  claimServer,
  createTestWriter,
  joinServer,
  outcome,
  post,
  push,
  type Server,
  type TestClient,
} from "../../apps/server/src/http/testing/client.ts";
import { createEventReader } from "../../apps/server/src/http/testing/event-reader.ts";
import { exchange, statuses } from "../../apps/server/src/platform/testing/raw-http.ts";
import type { AuditAnswer } from "../../packages/protocol/src/wire/index.ts";
import { limits, type NamespaceId } from "../../packages/protocol/src/index.ts";
import { whySkipped } from "../neighbours/neighbour.ts";
import { exchangeOverTls, fetchOverTls } from "../neighbours/over-tls.ts";
import { exampleHost, proxyNames, startProxy, type Proxy } from "../neighbours/proxies.ts";
import { smuggled } from "../neighbours/smuggled.ts";
import { createBench, linksIn, serverAt, type ServerProcess } from "./server-process.ts";

const bench = createBench();
const publicUrl = `https://${exampleHost}`;
/** Where callers call from: not the proxy's own address, by which the server trusts it. */
const home = "127.20.30.40";

/** The server as its callers know it, through a proxy. */
function throughProxy(proxy: Proxy, link = "", localAddress = home): Server {
  return {
    ...serverAt(publicUrl, link),
    app: {
      fetch: async (request) => await fetchOverTls(proxy, request, { localAddress }),
    },
  };
}

async function startServer(): Promise<ServerProcess> {
  const env = { TIDEMARK_PUBLIC_URL: publicUrl, TRUSTED_PROXIES: "127.0.0.1" };
  return await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()], env });
}

const portOf = ({ url }: ServerProcess): number => Number(new URL(url).port);

afterAll(async () => {
  await bench.clear();
});

test("[OPS21] what two programs may read as two requests is refused whole (abuse 137)", async () => {
  const server = await startServer();
  const answers = new Map<string, readonly number[]>();
  for (const { name, bytes } of smuggled) {
    answers.set(name, statuses(await exchange(portOf(server), bytes)));
  }
  expect(Object.fromEntries(answers)).toEqual(
    Object.fromEntries(smuggled.map(({ name }) => [name, [400]])),
  );
  server.kill("SIGTERM");
});

describe.each(proxyNames)("behind %s", (name) => {
  const isSkipped = whySkipped(name) !== undefined;
  let server: ServerProcess;
  let proxy: Proxy;
  let owner: TestClient;
  let personal: NamespaceId;
  beforeAll(async () => {
    if (isSkipped) return;
    server = await startServer();
    proxy = await startProxy(name, portOf(server));
    await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
    owner = await claimServer(throughProxy(proxy, linksIn(server.stdout())[0]));
    personal = (await owner.hello()).namespaces?.[0]?.id ?? ("" as NamespaceId);
  });
  afterAll(async () => {
    await proxy?.stop();
    server?.kill("SIGTERM");
  });

  test.skipIf(isSkipped)(
    "[OPS32] proofs are of the public address, and bodies pass up to their limit",
    async () => {
      const writer = createTestWriter("writer_long");
      const titles = Array.from({ length: 16 }, () => "x".repeat(64_000));
      const body = writer.body(titles);
      expect(body.length).toBeGreaterThan(limits.pushBytesMax * 0.97);
      expect(body.length).toBeLessThanOrEqual(limits.pushBytesMax);
      expect(await outcome(await push(owner, personal, body))).toBe("200");
      const over = "x".repeat(limits.pushBytesMax + 1);
      expect(await outcome(await push(owner, personal, over))).toBe("413 too-large");
      // The server's own answers, not the proxy's: it has taken all of it.
      const heal = await owner.send(`/v1/namespaces/${personal}/heal`, {
        method: "POST",
        body: "x".repeat(limits.healBytesMax),
        headers: { "content-type": "application/x-ndjson" },
      });
      expect(heal.headers.get("content-type")).toContain("application/problem+json");
      expect(heal.status).toBe(400);
      expect(server.stderr()).not.toContain("forwarded-not-believed");
    },
  );

  test.skipIf(isSkipped)("[WR18] pokes pass at once, while their stream is open", async () => {
    const reader = createEventReader(await owner.send("/v1/pokes"));
    await reader.until('"head":');
    reader.skip();
    const body = createTestWriter("writer_poke").body(["one"]);
    expect((await push(owner, personal, body)).status).toBe(200);
    expect(await reader.until("event: poke")).toContain(personal);
    await reader.cancel();
  });

  test.skipIf(isSkipped)(
    "[AU12] a caller is known by its own address, whatever it says of others (abuse 132)",
    async () => {
      const link = await owner.createLink({ kind: "device" });
      await joinServer(throughProxy(proxy, "", "127.66.77.88"), link, "far");
      const { items } = await owner.call<AuditAnswer>("GET", "/v1/audit");
      // The server's own rows have none.
      const networks = new Set(items.flatMap(({ network }) => network ?? []));
      expect(networks).toEqual(new Set(["127.20.30.0/24", "127.66.77.0/24"]));
      const attempt = async (localAddress: string, at: number): Promise<number> => {
        const fields = {
          "content-type": "application/json",
          "x-forwarded-for": `203.0.113.${String(at)}`,
          forwarded: `for=203.0.113.${String(at)}`,
          "x-real-ip": `203.0.113.${String(at)}`,
        };
        const request = new Request(`${publicUrl}/v1/setup`, {
          method: "POST",
          headers: fields,
          body: "{}",
        });
        return (await fetchOverTls(proxy, request, { localAddress })).status;
      };
      const seen: number[] = [];
      for (let at = 0; at < 14; at += 1) seen.push(await attempt("127.99.1.1", at));
      expect(seen.filter((status) => status === 429).length).toBeGreaterThanOrEqual(3);
      expect(seen[0]).not.toBe(429);
      expect(await attempt("127.99.2.1", 1)).not.toBe(429);
    },
  );

  test.skipIf(isSkipped)(
    "[OPS32] no request is read as two, so nobody is answered another's (abuse 137)",
    async () => {
      const wrong: unknown[] = [];
      for (const each of smuggled) {
        const seen = statuses(await exchangeOverTls(proxy, each.bytes));
        // Refused by the proxy or by the server; 502 is a proxy whose own request was refused.
        const isRefused = seen.length === 1 && [400, 501, 502].includes(seen[0] ?? 0);
        if (!isRefused) wrong.push([each.name, seen]);
        for (let at = 0; at < 6; at += 1) {
          const after = await fetchOverTls(proxy, new Request(`${publicUrl}/healthz`));
          if (after.status !== 200) wrong.push([each.name, "then", after.status]);
          await after.text();
        }
      }
      expect(wrong).toEqual([]);
      expect(await outcome(await owner.send("/v1/devices"))).toBe("200");
      expect(await outcome(await post(throughProxy(proxy), "/v1/join", {}))).toMatch(/^4\d\d /);
    },
  );
});
