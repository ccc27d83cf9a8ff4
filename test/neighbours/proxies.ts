import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../program/server-process.ts";
import { createFolder, fillExample, startNeighbour, type Neighbour } from "./neighbour.ts";

/** The proxies that the guide shows a file for. */
export const proxyNames = ["nginx", "caddy", "haproxy"] as const;
export type ProxyName = (typeof proxyNames)[number];

/** The host name of the examples. */
export const exampleHost = "tidemark.example.com";

/** A proxy that opens TLS before one server. */
export interface Proxy {
  readonly port: number;
  /** The certificate that its callers have to trust. */
  readonly ca: string;
  said(): string;
  stop(): Promise<void>;
}

/** Connections at once that tests need of a proxy. */
const connectionsMin = 1024;

/** Starts a proxy with the guide's file before the server at this port. */
export async function startProxy(
  name: ProxyName,
  serverPort: number,
  connections = connectionsMin,
): Promise<Proxy> {
  const port = await freePort();
  const folder = createFolder(certificate());
  const { path } = folder;
  const placed = createFolder(
    Object.fromEntries(
      Object.entries(filesOf[name](port, serverPort, connections)).map(([file, text]) => [
        file,
        text.replaceAll("/etc/tidemark/tls", path),
      ]),
    ),
  );
  const clear = (): void => {
    folder.remove();
    placed.remove();
  };
  try {
    const running: Neighbour = await startNeighbour({
      name,
      args: argsOf[name](placed.path),
      port,
      env: { HOME: path, XDG_DATA_HOME: path, XDG_CONFIG_HOME: path },
    });
    return {
      port,
      ca: readFileSync(join(path, "fullchain.pem"), "utf8"),
      said: () => running.said(),
      stop: async () => {
        await running.stop();
        clear();
      },
    };
  } catch (cause) {
    clear();
    throw cause;
  }
}

type Files = Readonly<Record<string, string>>;

const filesOf: Readonly<
  Record<ProxyName, (port: number, serverPort: number, connections: number) => Files>
> = {
  nginx: (port, serverPort, connections) => ({
    "tidemark.conf": fillExample("nginx.conf", {
      "listen 443 ssl": `listen ${String(port)} ssl`,
      "127.0.0.1:8420": `127.0.0.1:${String(serverPort)}`,
    }),
    // What a system's own nginx.conf has around it; one worker, so that callers share connections.
    "nginx.conf": [
      "daemon off; worker_processes 1; pid nginx.pid; error_log stderr info;",
      `events { worker_connections ${String(connections)}; }`,
      "http { access_log off;",
      ...["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((each) => `${each}_temp_path .;`),
      "include tidemark.conf; }",
    ].join("\n"),
  }),
  caddy: (port, serverPort) => ({
    Caddyfile: `{
	admin off
	auto_https disable_redirects
}
${fillExample("Caddyfile", {
  "example.com:443": `example.com:${String(port)}`,
  "127.0.0.1:8420": `127.0.0.1:${String(serverPort)}`,
})}`,
  }),
  haproxy: (port, serverPort) => ({
    "haproxy.cfg": fillExample("haproxy.cfg", {
      "bind :443": `bind :${String(port)}`,
      "127.0.0.1:8420": `127.0.0.1:${String(serverPort)}`,
    }),
  }),
};

const argsOf: Readonly<Record<ProxyName, (folder: string) => readonly string[]>> = {
  nginx: (folder) => ["-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")],
  caddy: (folder) => ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")],
  haproxy: (folder) => ["-db", "-f", join(folder, "haproxy.cfg")],
};

/** A certificate of the examples' host name, signed by itself, and its key. */
function certificate(): Files {
  const folder = createFolder({});
  try {
    const [key, chain] = [join(folder.path, "key"), join(folder.path, "chain")];
    const made = spawnSync(
      "openssl",
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        .split(" ")
        .concat("-subj", `/CN=${exampleHost}`, "-addext", `subjectAltName=DNS:${exampleHost}`)
        .concat("-keyout", key, "-out", chain),
      { encoding: "utf8" },
    );
    if (made.status !== 0) throw new Error(`openssl made no certificate: ${made.stderr}`);
    const [keyText, chainText] = [readFileSync(key, "utf8"), readFileSync(chain, "utf8")];
    return {
      "privkey.pem": keyText,
      "fullchain.pem": chainText,
      "both.pem": chainText + keyText,
    };
  } finally {
    folder.remove();
  }
}
