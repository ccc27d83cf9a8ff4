/**
 * The client half of Actual, as small as its rules allow: the table of messages, the table of what
 * they mean, the merkle trie and the clock. A message holds a field, as in Actual, or the whole of an
 * observation.
 */
import { writeFileSync } from "node:fs";
import { merkle, SyncProtoBuf, Timestamp } from "@actual-app/crdt";
import Database from "better-sqlite3";
import { measured, readRows, runVerbs } from "../client-verbs.mjs";

const start = "1970-01-01T00:00:00.000Z-0000-0000000000000000";
const messagesPerMs = 16;

await runVerbs({
  prepare: ({ folder, rows, messageOf }) => {
    const now = Date.now() - 60_000;
    const cells = readRows(rows).flatMap(({ id, fields }) =>
      messageOf === "field"
        ? Object.entries(fields).map(([name, value]) => [id, name, value])
        : [[id, "data", fields]],
    );
    const messages = cells.map(([row, column, value], index) => ({
      timestamp: stamp(now + Math.floor(index / messagesPerMs), index % messagesPerMs),
      dataset: "observations",
      row,
      column,
      value: `S:${JSON.stringify(value)}`,
    }));
    const db = open(folder);
    apply(db, messages);
    db.close();
  },
  push: async (place) =>
    await measured(async () => {
      const db = open(place.folder);
      const answer = await sync(place, readMessages(db));
      checkTrie(answer, readTrie(db));
      db.close();
    }),
  pull: async (place) =>
    await measured(async () => {
      const db = open(place.folder);
      const answer = await sync(place, []);
      apply(db, answer.getMessagesList().map(decode));
      checkTrie(answer, readTrie(db));
      db.close();
    }),
  dump: ({ folder, out, messageOf }) => {
    const db = open(folder);
    const columns = columnsOf(db).map(quoted).join(", ");
    const rows = db.prepare(`SELECT ${columns} FROM observations ORDER BY id`).all();
    const lines = rows.map(({ id, ...cells }) => {
      const held = Object.entries(cells).filter(([, value]) => value !== null);
      const fields = Object.fromEntries(held.map(([name, value]) => [name, JSON.parse(value)]));
      return JSON.stringify({ id, fields: messageOf === "field" ? fields : fields.data });
    });
    writeFileSync(out, lines.join("\n"));
    db.close();
  },
});

function stamp(millis, counter) {
  return new Timestamp(millis, counter, "a219e7a71cc18912").toString();
}

function open(folder) {
  const db = new Database(`${folder}/client.sqlite`);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.exec(`
    CREATE TABLE IF NOT EXISTS messages_crdt (
      id INTEGER PRIMARY KEY, timestamp TEXT NOT NULL UNIQUE, dataset TEXT NOT NULL,
      row TEXT NOT NULL, column TEXT NOT NULL, value BLOB NOT NULL);
    CREATE INDEX IF NOT EXISTS messages_crdt_search
      ON messages_crdt (dataset, row, column, timestamp);
    CREATE TABLE IF NOT EXISTS messages_clock (id INTEGER PRIMARY KEY, clock TEXT);
    CREATE TABLE IF NOT EXISTS observations (id TEXT PRIMARY KEY);`);
  return db;
}

/** Takes messages in by Actual's rule: the newest of a field wins, every message is kept. */
function apply(db, messages) {
  const newer = db.prepare(
    "SELECT timestamp FROM messages_crdt WHERE dataset = ? AND row = ? AND column = ? AND timestamp >= ?",
  );
  const keep = db.prepare(
    "INSERT INTO messages_crdt (timestamp, dataset, row, column, value) VALUES (?, ?, ?, ?, ?)",
  );
  const write = columnWriter(db);
  db.transaction(() => {
    let trie = readTrie(db);
    for (const { timestamp, dataset, row, column, value } of messages) {
      const others = newer.all(dataset, row, column, timestamp);
      if (others.some((other) => other.timestamp === timestamp)) continue;
      if (others.length === 0) write(column).run(row, value.slice(2));
      keep.run(timestamp, dataset, row, column, value);
      trie = merkle.insert(trie, Timestamp.parse(timestamp));
    }
    db.prepare(
      "INSERT INTO messages_clock (id, clock) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET clock = excluded.clock",
    ).run(JSON.stringify({ merkle: merkle.prune(trie) }));
  })();
}

/** A statement for each column, which is made where there is none: Actual's are those of its schema. */
function columnWriter(db) {
  const statements = new Map();
  const names = new Set(columnsOf(db));
  return (column) => {
    const known = statements.get(column);
    if (known !== undefined) return known;
    const name = quoted(column);
    if (!names.has(column)) db.exec(`ALTER TABLE observations ADD COLUMN ${name} TEXT`);
    const statement = db.prepare(
      `INSERT INTO observations (id, ${name}) VALUES (?, ?)
       ON CONFLICT (id) DO UPDATE SET ${name} = excluded.${name}`,
    );
    statements.set(column, statement);
    return statement;
  };
}

function columnsOf(db) {
  return db.pragma("table_info(observations)").map(({ name }) => name);
}

function quoted(name) {
  return `"${name.replaceAll('"', '""')}"`;
}

function readMessages(db) {
  return db
    .prepare("SELECT timestamp, dataset, row, column, value FROM messages_crdt ORDER BY id")
    .all();
}

function readTrie(db) {
  const row = db.prepare("SELECT clock FROM messages_clock").get();
  return row === undefined ? {} : JSON.parse(row.clock).merkle;
}

async function sync({ url, token, fileId, groupId }, messages) {
  const request = new SyncProtoBuf.SyncRequest();
  request.setFileid(fileId);
  request.setGroupid(groupId);
  request.setSince(messages.length > 0 ? messages.at(-1).timestamp : start);
  for (const message of messages) request.addMessages(encode(message));
  const answer = await fetch(`${url}/sync/sync`, {
    method: "POST",
    headers: { "content-type": "application/actual-sync", "x-actual-token": token },
    body: request.serializeBinary(),
  });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}: ${await answer.text()}`);
  return SyncProtoBuf.SyncResponse.deserializeBinary(new Uint8Array(await answer.arrayBuffer()));
}

function encode({ timestamp, dataset, row, column, value }) {
  const message = new SyncProtoBuf.Message();
  message.setDataset(dataset);
  message.setRow(row);
  message.setColumn(column);
  message.setValue(value);
  const envelope = new SyncProtoBuf.MessageEnvelope();
  envelope.setTimestamp(timestamp);
  envelope.setIsencrypted(false);
  envelope.setContent(message.serializeBinary());
  return envelope;
}

function decode(envelope) {
  const message = SyncProtoBuf.Message.deserializeBinary(envelope.getContent_asU8());
  return {
    timestamp: envelope.getTimestamp(),
    dataset: message.getDataset(),
    row: message.getRow(),
    column: message.getColumn(),
    value: message.getValue(),
  };
}

function checkTrie(answer, trie) {
  const { hash } = JSON.parse(answer.getMerkle());
  if (hash !== trie.hash) throw new Error("the merkle tries of client and server differ");
}
