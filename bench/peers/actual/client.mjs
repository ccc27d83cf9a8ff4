/**
 * The client half of Actual, as small as its rules allow: the table of messages, the table of what
 * they mean, the merkle trie and the clock. One message an observation, its value the whole of it.
 */
import { writeFileSync } from "node:fs";
import { merkle, SyncProtoBuf, Timestamp } from "@actual-app/crdt";
import Database from "better-sqlite3";
import { measured, readRows, runVerbs } from "../client-verbs.mjs";

const start = "1970-01-01T00:00:00.000Z-0000-0000000000000000";
const messagesPerMs = 16;

await runVerbs({
  prepare: ({ folder, rows }) => {
    const now = Date.now() - 60_000;
    const messages = readRows(rows).map(({ id, fields }, index) => ({
      timestamp: stamp(now + Math.floor(index / messagesPerMs), index % messagesPerMs),
      dataset: "observations",
      row: id,
      column: "data",
      value: `S:${JSON.stringify(fields)}`,
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
  dump: ({ folder, out }) => {
    const db = open(folder);
    const rows = db.prepare("SELECT id, data FROM observations ORDER BY id").all();
    const lines = rows.map(({ id, data }) => JSON.stringify({ id, fields: JSON.parse(data) }));
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
    CREATE TABLE IF NOT EXISTS observations (id TEXT PRIMARY KEY, data TEXT);`);
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
  const write = db.prepare(
    "INSERT INTO observations (id, data) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET data = excluded.data",
  );
  db.transaction(() => {
    let trie = readTrie(db);
    for (const { timestamp, dataset, row, column, value } of messages) {
      const others = newer.all(dataset, row, column, timestamp);
      if (others.some((other) => other.timestamp === timestamp)) continue;
      if (others.length === 0) write.run(row, value.slice(2));
      keep.run(timestamp, dataset, row, column, value);
      trie = merkle.insert(trie, Timestamp.parse(timestamp));
    }
    db.prepare(
      "INSERT INTO messages_clock (id, clock) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET clock = excluded.clock",
    ).run(JSON.stringify({ merkle: merkle.prune(trie) }));
  })();
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
