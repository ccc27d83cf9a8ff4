import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { linksIn, type Bench } from "./server-process.ts";

/** A server that is known by an https address, TLS ended in front of it. */
export interface TlsFront {
  readonly port: number;
  /** The file of the certificate, for which nothing else vouches. */
  readonly certificate: string;
  /** The server's setup link. */
  readonly link: string;
  close(): void;
}

/** Starts a server on this machine that devices know by `name`, and ends TLS in front of it. */
export async function startTlsFront(bench: Bench, name: string): Promise<TlsFront> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-certificate-"));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate];
  const named = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  execFileSync("openssl", ["req", "-x509", ...made, ...named], { stdio: "ignore" });
  let behind = "";
  const secrets = { key: readFileSync(key), cert: readFileSync(certificate) };
  const front = createServer(secrets, (incoming, response) => {
    const { method, url, headers } = incoming;
    const sent = request(`${behind}${url ?? ""}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    // Who left takes what was asked for with them, and the other way round.
    response.once("close", () => sent.destroy());
    sent.once("error", () => response.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const { port } = front.address() as AddressInfo;
  const server = await bench.serve({
    args: ["--port", "0", "--data-dir", bench.folder()],
    env: { TIDEMARK_PUBLIC_URL: `https://${name}:${port}`, TRUSTED_PROXIES: "127.0.0.1" },
  });
  behind = server.url;
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  return {
    port,
    certificate,
    link: linksIn(server.stdout())[0] ?? "",
    close: () => {
      front.closeAllConnections();
      front.close();
      rmSync(folder, { recursive: true });
    },
  };
}
