import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../../../test/postgres/database.ts";
import { migrate } from "../migrate.ts";
import { dumpDatabase, type BackupSink } from "./dump.ts";

let database: TestDatabase;
let between: Server;
/** The database by a way on which what follows rows comes later than the rows. */
let slowUrl = "";

beforeAll(async () => {
  database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  await sql.unsafe(
    `alter database ${new URL(database.url).pathname.slice(1)} owner to tidemark_owner`,
  );
  const owned = asOwner(database.url);
  await migrate(owned);
  await sql`insert into tidemark.server (singleton, id, claimed_at_ms) values (true, 'srv_a', 1)`;
  // More than a stream holds before it asks for a pause, and less than one read of a socket.
  for (let n = 0; n < 40; n += 1) {
    await sql`insert into tidemark.users (id, name, created_at_ms)
      values (${`usr_${n}`}, ${"x".repeat(1_000)}, 1)`;
  }
  await sql.end({ timeout: 5 });
  between = await slowWayTo(new URL(owned));
  const url = new URL(owned);
  url.hostname = "127.0.0.1";
  url.port = String((between.address() as AddressInfo).port);
  slowUrl = url.href;
});

afterAll(async () => {
  between.close();
  await database.drop();
});

function asOwner(text: string): string {
  const url = new URL(text);
  url.searchParams.set("role", "tidemark_owner");
  return url.href;
}

/** Hands all rows of a COPY and its end on at once, and what comes behind them a moment later. */
async function slowWayTo(url: URL): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname);
    client.pipe(upstream);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    void forward(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function forward(upstream: Socket, client: Socket): Promise<void> {
  let waiting = Buffer.alloc(0);
  let held: Buffer[] = [];
  for await (const chunk of upstream as AsyncIterable<Buffer>) {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length > 4 && waiting.length > waiting.readUInt32BE(1)) {
      const end = 1 + waiting.readUInt32BE(1);
      const message = waiting.subarray(0, end);
      waiting = waiting.subarray(end);
      const kind = String.fromCharCode(message[0] ?? 0);
      held.push(message);
      if (kind === "d") continue;
      client.write(Buffer.concat(held));
      held = [];
      if (kind === "c") await sleep(20);
    }
  }
  client.end();
}

/** Takes what a slow disk takes, and fails at a table where one is named. */
function slowSink(failsAt?: string): BackupSink & { readonly tables: string[] } {
  const tables: string[] = [];
  return {
    tables,
    header: async () => {},
    table: async ({ table }) => void tables.push(table),
    rows: async () => {
      await sleep(1);
      if (tables.at(-1) === failsAt) throw new Error("no space left on device");
    },
    tableEnd: async () => {},
  };
}

const facts = { program: "test", takenAtMs: 1 };

test("[OPS80] a backup goes on where rows fill the driver's buffer and the rest of the answer comes later", async () => {
  const sink = slowSink();
  expect(await dumpDatabase(slowUrl, sink, facts)).toMatchObject({ serverId: "srv_a" });
  expect(sink.tables).toContain("users");
});

test("[OPS80] a backup that cannot be written ends, and says why", async () => {
  const failed = dumpDatabase(slowUrl, slowSink("users"), facts);
  await expect(failed).rejects.toThrow("no space left on device");
});
