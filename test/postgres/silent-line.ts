import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";

/** A way to a database on which open connections can fall silent, as behind a firewall that forgets. */
export interface SilentLine {
  /** The database's connection string, by this way. */
  readonly url: string;
  /** How many connections are open on it. */
  readonly count: number;
  /** Whether new connections are silent from the start. */
  isDead: boolean;
  /**
   * From now on nothing passes on the connections that are open, or `count` of them from the one on
   * that was opened as the `from`th, and nobody says so.
   */
  silence(count?: number, from?: number): void;
  /** The silent ones speak again, and all that was said arrives, as when a network comes back. */
  resume(): void;
  close(): Promise<void>;
}

interface Link {
  readonly ends: readonly Socket[];
  /** What was said into the silence. */
  readonly kept: (() => void)[];
  isSilent: boolean;
}

/** Opens the way on a port of its own. */
export async function openSilentLine(databaseUrl: string): Promise<SilentLine> {
  const target = new URL(databaseUrl);
  const links = new Set<Link>();
  // What has vanished does not even answer that a connection ends.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({
      port: Number(target.port),
      host: target.hostname,
      allowHalfOpen: true,
    });
    const link: Link = { ends: [client, upstream], kept: [], isSilent: line.isDead };
    links.add(link);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on("data", (bytes) => {
        if (link.isSilent) link.kept.push(() => to.write(bytes));
        else to.write(bytes);
      });
      from.on("end", () => {
        if (!link.isSilent) to.end();
      });
      from.on("error", () => undefined);
      from.on("close", () => {
        if (link.isSilent) return;
        links.delete(link);
        to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(target);
  own.hostname = "127.0.0.1";
  own.port = String((server.address() as { readonly port: number }).port);
  const line: SilentLine = {
    url: own.href,
    get count() {
      return [...links].filter(({ isSilent }) => !isSilent).length;
    },
    isDead: false,
    silence: (count = links.size, from = 0) => {
      for (const link of [...links].slice(from, from + count)) link.isSilent = true;
    },
    resume: () => {
      for (const link of links) {
        link.isSilent = false;
        for (const say of link.kept.splice(0)) say();
      }
    },
    close: async () => {
      for (const { ends } of links) for (const end of ends) end.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return line;
}
