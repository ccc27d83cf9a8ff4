import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { postgresTarget } from "../../../postgres-target.ts";

/** A statement as it went over a connection, with the text of its parameters. */
export interface SentStatement {
  readonly connection: number;
  readonly text: string;
  readonly parameters: readonly (string | null)[];
}

/** Stands between a store and its database, and writes down what passes. */
export interface StatementSpy {
  /** The database's connection string, by way of the spy. */
  readonly url: string;
  readonly sent: readonly SentStatement[];
  close(): Promise<void>;
}

/** Opens a door of its own to the database, and reads the protocol that goes through it. */
export async function spyOnStatements(databaseUrl: string): Promise<StatementSpy> {
  const sent: SentStatement[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const database = connect(targetOf(databaseUrl));
    const read = createReader(connections, (statement) => void sent.push(statement));
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.on("data", (bytes) => {
      read(bytes);
      database.write(bytes);
    });
    database.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.searchParams.delete("host");
  url.host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url: url.href,
    sent,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function targetOf(databaseUrl: string): { path: string } | { host: string; port: number } {
  const { url, options } = postgresTarget(databaseUrl);
  const { hostname, port } = new URL(url);
  const { path } = options;
  return path === undefined ? { host: hostname, port: Number(port) || 5432 } : { path };
}

/** Reads what a client sends: Parse names a statement, Bind gives it values, Query is both. */
function createReader(
  connection: number,
  onStatement: (statement: SentStatement) => void,
): (bytes: Buffer) => void {
  const textByName = new Map<string, string>();
  let waiting = Buffer.alloc(0);
  let hasStarted = false;
  const take = (kind: string, body: Buffer): void => {
    const message = createMessage(body);
    if (kind === "P") textByName.set(message.text(), message.text());
    if (kind === "Q") onStatement({ connection, text: message.text(), parameters: [] });
    if (kind !== "B") return;
    message.text();
    const text = textByName.get(message.text());
    if (text === undefined) throw new Error("a statement was bound that nobody has named");
    for (let formats = message.short(); formats > 0; formats -= 1) message.short();
    const parameters = Array.from({ length: message.short() }, () => message.value());
    onStatement({ connection, text, parameters });
  };
  return (bytes) => {
    waiting = Buffer.concat([waiting, bytes]);
    for (;;) {
      // The first message has no kind.
      const at = hasStarted ? 1 : 0;
      if (waiting.length < at + 4) return;
      const length = at + waiting.readInt32BE(at);
      if (waiting.length < length) return;
      if (hasStarted) take(waiting.toString("latin1", 0, 1), waiting.subarray(5, length));
      hasStarted = true;
      waiting = waiting.subarray(length);
    }
  };
}

function createMessage(body: Buffer): {
  text(): string;
  short(): number;
  value(): string | null;
} {
  let at = 0;
  return {
    text: () => {
      const end = body.indexOf(0, at);
      const text = body.toString("utf8", at, end);
      at = end + 1;
      return text;
    },
    short: () => {
      at += 2;
      return body.readInt16BE(at - 2);
    },
    value: () => {
      const length = body.readInt32BE(at);
      at += 4;
      if (length < 0) return null;
      at += length;
      return body.toString("utf8", at - length, at);
    },
  };
}
