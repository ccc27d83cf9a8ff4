import { join } from "node:path";
import { freePort } from "../program/server-process.ts";
import { createFolder, fillExample, startNeighbour } from "./neighbour.ts";

/** A PgBouncer before one PostgreSQL, whose databases it serves under their own names. */
export interface PgBouncer {
  /** The same connection string, through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Starts the guides' PgBouncer with a pool of so many connections. */
export async function startPgBouncer(url: string, poolSize: number): Promise<PgBouncer> {
  const { username, password, hostname, port } = new URL(url);
  const ownPort = await freePort();
  const login = [username, password].map((text) => `"${decodeURIComponent(text)}"`).join(" ");
  const folder = createFolder({ "userlist.txt": `${login}\n` });
  const config = createFolder({
    "pgbouncer.ini": fillExample("pgbouncer.ini", {
      "tidemark = host=127.0.0.1 port=5432 dbname=tidemark": `* = host=${hostname} port=${port || "5432"}`,
      "listen_port = 6432": `listen_port = ${String(ownPort)}\nunix_socket_dir =`,
      "/etc/pgbouncer/userlist.txt": join(folder.path, "userlist.txt"),
      "default_pool_size = 8": `default_pool_size = ${String(poolSize)}`,
    }),
  });
  const clear = (): void => {
    folder.remove();
    config.remove();
  };
  try {
    const running = await startNeighbour({
      name: "pgbouncer",
      args: [join(config.path, "pgbouncer.ini")],
      port: ownPort,
    });
    return {
      through: (direct) => {
        const pooled = new URL(direct);
        pooled.host = `127.0.0.1:${String(ownPort)}`;
        return pooled.href;
      },
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
