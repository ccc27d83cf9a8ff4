import { afterEach, beforeEach, expect, test } from "vitest";
import { claimServer, createTestWriter, push } from "../../apps/server/src/http/testing/client.ts";
import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import { createBench, freePort, linksIn, serverAt, type Bench } from "./server-process.ts";

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  await bench.clear();
});

const canary = "canary5c21";

test("[OPS85] [OPS86] a server that works tells figures on the address of its metrics and nowhere else, and its log nothing of what was said", async () => {
  const port = await freePort();
  const running = await bench.serve({
    args: ["--port", "0", "--data-dir", bench.folder(), "--log-requests", "all"],
    env: { TIDEMARK_METRICS: `127.0.0.1:${port}` },
  });
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  const [link = ""] = linksIn(running.stdout());
  const owner = await claimServer(serverAt(running.url, link));
  const [personal] = (await owner.hello()).namespaces ?? [];
  const namespace = personal?.id ?? ("" as NamespaceId);
  const writer = createTestWriter("writer_a");
  expect((await push(owner, namespace, writer.body([canary, `${canary} 2`]))).status).toBe(200);
  await owner.send(`/v1/namespaces/${namespace}/records?writer=writer_a&limit=10`);
  await fetch(`${running.url}/${canary}?q=${canary}`);

  const scraped = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(scraped.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await scraped.text();
  for (const line of [
    'tidemark_http_requests_total{route="push",status="200"} 1',
    'tidemark_push_ops_total{result="applied"} 2',
    'tidemark_refusals_total{code="not-found"} 1',
    "tidemark_database_up 1",
    "tidemark_records 2",
    "tidemark_namespaces 1",
    'tidemark_retention_rounds_total{outcome="done"} 1',
  ]) {
    expect(text.split("\n")).toContain(line);
  }
  expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(1e7);
  expect((await fetch(`http://127.0.0.1:${port}/v1/hello`)).status).toBe(404);
  expect((await fetch(`${running.url}/metrics`)).status).toBe(404);

  running.kill("SIGTERM");
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  const events = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { route?: string });
  expect(events.map(({ route }) => route)).toEqual(
    expect.arrayContaining(["push", "pull", "none"]),
  );
  for (const secret of [canary, namespace, link.split("#s=")[1] ?? ""]) {
    expect(secret.length).toBeGreaterThan(8);
    expect(`${stderr}${text}`).not.toContain(secret);
  }
});

test("[OPS85] an address of metrics that is taken or wrong is told with its own setting", async () => {
  const port = await freePort();
  const args = ["--port", "0", "--metrics", `127.0.0.1:${port}`];
  await bench.serve({ args: [...args, "--data-dir", bench.folder()] });
  const second = await bench.run({ args: ["serve", ...args, "--data-dir", bench.folder()] });
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`error: port ${port} of 127.0.0.1 is in use\n`);
  expect(second.stderr).toContain("hint: choose another address and port for --metrics\n");
  const wrong = await bench.run({ args: ["serve", "--metrics", "9464"] });
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toContain(
    "--metrics must be an address with a port, such as 127.0.0.1:9464",
  );
});
