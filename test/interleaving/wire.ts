import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { postgresTarget } from "../../apps/server/src/postgres-target.ts";
import {
  frameReader,
  parseFrame,
  pidOf,
  queryFrame,
  readParse,
  readQuery,
  sqlStateOf,
  statementOfBind,
  type Frame,
} from "./frames.ts";

/** What becomes of a statement: cut means that the connection dies before it, or after it ran. */
export type Passage = "pass" | "cut-before" | "cut-after";

/** Who stands between the store and its database. */
export interface WirePolicy {
  /** Asked before a statement is passed on; it waits for as long as this takes. */
  readonly onStatement?: (sql: string, line: Line) => Passage | Promise<Passage>;
  /** Told when the answer to a statement is complete. */
  readonly onAnswered?: (sql: string, line: Line) => void;
  /** Changes SQL on its way: plants a bug, or another limit. */
  readonly rewrite?: (sql: string) => string;
}

/** One connection through the wire. */
export interface Line {
  /** The server process, once the connection is up. */
  readonly pid: number;
}

/** A way to a database on which every statement can be held, changed or cut. */
export interface Wire {
  /** The connection string that leads through it. */
  readonly url: string;
  /** May be replaced at any time. */
  policy: WirePolicy;
  /** How often the server answered with each SQLSTATE. */
  readonly sqlStates: Map<string, number>;
  /** Processes of the connections that are open. */
  pids(): readonly number[];
  close(): Promise<void>;
}

/**
 * Opens a wire on loopback. The store behind it runs unchanged: statements are told apart in the
 * bytes that it sends, and each waits until the one before was answered.
 */
export async function openWire(databaseUrl: string): Promise<Wire> {
  const lines = new Set<LineState>();
  const target = postgresTarget(databaseUrl);
  const place = new URL(target.url);
  const server = createServer((client) => {
    const database =
      target.options.path === undefined
        ? connect(Number(place.port || "5432"), place.hostname)
        : connect(target.options.path);
    join(wire, lines, { client, database });
  });
  const port = await listening(server);
  const url = new URL(target.url);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  const wire: Wire = {
    url: url.href,
    policy: {},
    sqlStates: new Map(),
    pids: () => [...lines].map(({ pid }) => pid).filter((pid) => pid > 0),
    close: async () => {
      for (const line of lines) cut(line);
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return wire;
}

/** The frames of one statement, as far as the server answers them together. */
interface Unit {
  readonly sql: string;
  readonly frames: readonly Frame[];
  /** Whether the server will say that it is ready again. */
  readonly isAnswered: boolean;
}

interface LineState {
  pid: number;
  readonly client: Socket;
  readonly database: Socket;
  isReady: boolean;
  isSilent: boolean;
  readonly units: Unit[];
  isDraining: boolean;
  answered: (() => void) | undefined;
}

function join(
  wire: Wire,
  lines: Set<LineState>,
  sockets: { readonly client: Socket; readonly database: Socket },
): void {
  const { client, database } = sockets;
  const line: LineState = {
    ...sockets,
    pid: 0,
    isReady: false,
    isSilent: false,
    units: [],
    isDraining: false,
    answered: undefined,
  };
  lines.add(line);
  for (const socket of [client, database]) {
    socket.setNoDelay(true);
    // A lost connection is what this is for; the other side hears of it.
    socket.on("error", () => {});
    socket.on("close", () => {
      lines.delete(line);
      // What the server said last, why it ends the connection, has to arrive first.
      client.end();
      database.destroy();
      line.answered?.();
    });
  }
  client.on("data", clientReader(wire, line));
  database.on("data", serverReader(wire, line));
}

function cut(line: LineState): void {
  line.client.destroy();
  line.database.destroy();
}

function clientReader(wire: Wire, line: LineState): (chunk: Buffer) => void {
  const read = frameReader("client");
  const sqlByName = new Map<string, string>();
  let frames: Frame[] = [];
  let sql = "";
  const end = (isAnswered: boolean): void => {
    line.units.push({ sql, frames, isAnswered });
    frames = [];
    sql = "";
    void drain(wire, line);
  };
  return (chunk) => {
    for (const frame of read(chunk)) {
      if (!line.isReady) {
        line.database.write(frame.bytes);
        continue;
      }
      frames.push(rewritten(wire, frame));
      if (frame.type === "P") {
        const parsed = readParse(frame);
        sqlByName.set(parsed.name, parsed.sql);
      } else if (frame.type === "B") sql = sqlByName.get(statementOfBind(frame)) ?? "";
      else if (frame.type === "Q") sql = readQuery(frame);
      if (frame.type === "Q" || frame.type === "S") end(true);
      else if (frame.type === "H" || frame.type === "X") end(false);
    }
  };
}

function rewritten(wire: Wire, frame: Frame): Frame {
  const { rewrite } = wire.policy;
  if (rewrite === undefined) return frame;
  if (frame.type === "Q") return queryFrame(rewrite(readQuery(frame)));
  if (frame.type !== "P") return frame;
  const parsed = readParse(frame);
  return parseFrame({ ...parsed, sql: rewrite(parsed.sql) });
}

function serverReader(wire: Wire, line: LineState): (chunk: Buffer) => void {
  const read = frameReader("server");
  return (chunk) => {
    for (const frame of read(chunk)) {
      if (frame.type === "K") line.pid = pidOf(frame);
      if (frame.type === "E") {
        const code = sqlStateOf(frame);
        wire.sqlStates.set(code, (wire.sqlStates.get(code) ?? 0) + 1);
      }
      if (!line.isSilent) line.client.write(frame.bytes);
      if (frame.type !== "Z") continue;
      line.isReady = true;
      line.answered?.();
    }
  };
}

async function drain(wire: Wire, line: LineState): Promise<void> {
  if (line.isDraining) return;
  line.isDraining = true;
  for (let unit = line.units.shift(); unit !== undefined; unit = line.units.shift()) {
    await pass(wire, line, unit);
  }
  line.isDraining = false;
}

async function pass(wire: Wire, line: LineState, unit: Unit): Promise<void> {
  const { policy } = wire;
  const asked = unit.isAnswered && unit.sql !== "" ? policy.onStatement : undefined;
  const passage = (await asked?.(unit.sql, line)) ?? "pass";
  if (passage === "cut-before") {
    cut(line);
    return;
  }
  if (line.database.destroyed) return;
  line.isSilent = passage === "cut-after";
  const answered = new Promise<void>((resolve) => {
    line.answered = resolve;
  });
  for (const { bytes } of unit.frames) line.database.write(bytes);
  if (!unit.isAnswered) return;
  await answered;
  if (passage === "cut-after") cut(line);
  policy.onAnswered?.(unit.sql, line);
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}
