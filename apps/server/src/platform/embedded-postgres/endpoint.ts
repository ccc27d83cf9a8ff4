import { createServer } from "node:net";
import { join } from "node:path";
import { createWholeFile, readTextIfAny } from "../files.ts";
import type { Random } from "../random.ts";
import { type Folders, makeShortDir } from "./folders.ts";
import type { RunAs } from "./run-program.ts";

/**
 * Where the embedded PostgreSQL listens.
 *
 * A socket in a closed folder is the rule: nothing listens on the network and the kernel tells
 * PostgreSQL who connects, so no password exists. Windows gets a random port on 127.0.0.1 and a
 * password in a private file.
 */
export type Endpoint =
  | { readonly kind: "socket"; readonly dir: string; readonly isShort: boolean }
  | { readonly kind: "loopback"; readonly port: number; readonly password: string };

/** The roles of the embedded database. */
export const adminRole = "tidemark_admin";
/** Owns the database and its tables; runs migrations. */
export const ownerRole = "tidemark_owner";
/** Serves requests: owns nothing, may not bypass row-level security. */
export const appRole = "tidemark_app";
/** The database of the server. */
export const databaseName = "tidemark";

/** The socket's number is part of its file name only. */
const socketPort = 5432;
/** Longest path of a socket that every system takes; Linux allows 107 bytes, macOS 103. */
const socketPathBytesMax = 100;

/** Chooses where to listen and makes the folder for it. */
export async function chooseEndpoint(
  random: Random,
  folders: Folders,
  options: { readonly kind: Endpoint["kind"]; readonly runAs: RunAs | undefined },
): Promise<Endpoint> {
  if (options.kind === "loopback") {
    const password = await ensurePassword(random, folders.passwordFile);
    return { kind: "loopback", port: await freePort(), password };
  }
  if (Buffer.byteLength(socketPath(folders.socket, "")) <= socketPathBytesMax) {
    return { kind: "socket", dir: folders.socket, isShort: false };
  }
  return { kind: "socket", dir: await makeShortDir(options.runAs), isShort: true };
}

/** The socket in a folder, or with `.lock` the file PostgreSQL guards it with. */
export function socketPath(dir: string, suffix: "" | ".lock"): string {
  return join(dir, `.s.PGSQL.${socketPort}${suffix}`);
}

/** The settings that make PostgreSQL listen there and nowhere else (PG22). */
export function endpointSettings(endpoint: Endpoint): Readonly<Record<string, string>> {
  if (endpoint.kind === "loopback") {
    return {
      listen_addresses: "127.0.0.1",
      port: String(endpoint.port),
      unix_socket_directories: "",
    };
  }
  return {
    listen_addresses: "",
    port: String(socketPort),
    // Relative to the cluster, which is where PostgreSQL stands; see `standIn`.
    unix_socket_directories: endpoint.isShort ? endpoint.dir : "../socket",
  };
}

/**
 * A connection string for one role, as libpq reads it: a socket's folder stands in `host=`.
 *
 * postgres.js does not know that form; open such strings with `postgresTarget`.
 */
export function endpointUrl(endpoint: Endpoint, role: string, database: string): string {
  if (endpoint.kind === "loopback") {
    return `postgres://${role}:${endpoint.password}@127.0.0.1:${endpoint.port}/${database}`;
  }
  return `postgres://${role}@localhost:${socketPort}/${database}?host=${encodeURIComponent(endpoint.dir)}`;
}

async function ensurePassword(random: Random, path: string): Promise<string> {
  const known = await readTextIfAny(path);
  if (known !== undefined) return known.trim();
  const password = Buffer.from(random.bytes(32)).toString("base64url");
  await createWholeFile(random, path, `${password}\n`);
  return password;
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => {
        resolve(port);
      });
    });
  });
}
