import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices, type TestDevice } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
const folder = mkdtempSync(join(tmpdir(), "tidemark-certificate-"));
const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
/** Ends TLS in front of the server, by a certificate that only its own file vouches for. */
let front: Server;
let link = "";

beforeAll(async () => {
  const made = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  const named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", "-x509", ...made, ...named], { stdio: "ignore" });
  let behind = "";
  const secrets = { key: readFileSync(key), cert: readFileSync(cert) };
  front = createServer(secrets, (incoming, response) => {
    const { method, url, headers } = incoming;
    const sent = request(`${behind}${url ?? ""}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => front.listen(0, "localhost", resolve));
  const publicUrl = `https://localhost:${String((front.address() as AddressInfo).port)}`;
  const server = await bench.serve({
    args: ["--port", "0", "--data-dir", bench.folder()],
    env: { TIDEMARK_PUBLIC_URL: publicUrl, TRUSTED_PROXIES: "127.0.0.1" },
  });
  behind = server.url;
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  link = linksIn(server.stdout())[0] ?? "";
});

afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await bench.clear();
  devices.clear();
  rmSync(folder, { recursive: true });
});

test("[WR64] a server whose certificate nobody vouches for is told as that, with what to set", async () => {
  const error = await devices.device("stranger").error("pair", link);
  expect(error).toMatchObject({ exit: 1, code: "untrusted-certificate" });
  expect(error.hint).toContain("NODE_EXTRA_CA_CERTS");
});

test("[WR64] where its authority is named the device works, and without it says what is missing", async () => {
  const told = devices.device("one", { NODE_EXTRA_CA_CERTS: cert });
  await told.json("pair", link, "--name", "one", "--user", "ada");
  await told.json("sync");
  const untold = devices.device("one");
  const error = await untold.error("sync");
  expect(error).toMatchObject({ exit: 1, code: "untrusted-certificate" });
  expect(error.hint).toContain("NODE_EXTRA_CA_CERTS");
  expect(await serverFix(untold)).toContain("NODE_EXTRA_CA_CERTS");
}, 60_000);

async function serverFix(device: TestDevice): Promise<string | undefined> {
  const { stdout } = await device.run(["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as { checks: readonly { name: string; fix: string }[] };
  return checks.find(({ name }) => name === "server")?.fix;
}
