/**
 * The client half of Evolu: its tables, its statements, its merkle tree and its protobuf, applied
 * without Effect and without encryption. One message an observation.
 */
import { writeFileSync } from "node:fs";
import {
  diffMerkleTrees,
  initialMerkleTree,
  insertIntoMerkleTree,
  merkleTreeToString,
  MessageContent,
  SyncRequest,
  SyncResponse,
  timestampToString,
  unsafeMerkleTreeFromString,
  unsafeTimestampFromString,
} from "@evolu/common";
import Database from "better-sqlite3";
import * as Option from "effect/Option";
import { measured, readRows, runVerbs } from "../client-verbs.mjs";

const owner = "bench-owner";
const messagesPerMs = 16;
/** The server takes 20 MB a request. */
const messagesPerRequest = 12_000;
/** Evolu's first bytes of a message: its version. */
const version = Buffer.from([0, 1]);

await runVerbs({
  prepare: ({ folder, rows }) => {
    const now = Date.now() - 60_000;
    const messages = readRows(rows).map(({ id, fields }, index) => ({
      timestamp: timestampToString({
        millis: now + Math.floor(index / messagesPerMs),
        counter: index % messagesPerMs,
        node: "a219e7a71cc18912",
      }),
      table: "observation",
      row: id,
      column: "data",
      value: JSON.stringify(fields),
    }));
    const db = open(folder);
    apply(db, messages);
    db.close();
  },
  push: async ({ folder, url }) =>
    await measured(async () => {
      const db = open(folder);
      const messages = readMessages(db);
      const tree = readTree(db);
      let answer;
      for (let from = 0; from < messages.length; from += messagesPerRequest) {
        const part = messages.slice(from, from + messagesPerRequest);
        answer = await sync(url, { messages: part, tree, node: "a219e7a71cc18912" });
      }
      checkTree(answer, tree);
      db.close();
    }),
  pull: async ({ folder, url }) =>
    await measured(async () => {
      const db = open(folder);
      const node = "b219e7a71cc18912";
      const answer = await sync(url, { messages: [], tree: readTree(db), node });
      apply(db, answer.messages.map(decode));
      checkTree(answer, readTree(db));
      db.close();
    }),
  dump: ({ folder, out }) => {
    const db = open(folder);
    const rows = db.prepare('SELECT "id", "data" FROM "observation" ORDER BY "id"').all();
    const lines = rows.map(({ id, data }) => JSON.stringify({ id, fields: JSON.parse(data) }));
    writeFileSync(out, lines.join("\n"));
    db.close();
  },
});

function open(folder) {
  const db = new Database(`${folder}/client.sqlite`);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.exec(`
    CREATE TABLE IF NOT EXISTS "evolu_message" (
      "timestamp" blob PRIMARY KEY, "table" blob, "row" blob, "column" blob, "value" blob);
    CREATE INDEX IF NOT EXISTS "index_evolu_message"
      ON "evolu_message" ("table", "row", "column", "timestamp" DESC);
    CREATE TABLE IF NOT EXISTS "evolu_owner" ("id" text PRIMARY KEY, "merkleTree" blob);
    CREATE TABLE IF NOT EXISTS "observation" (
      "id" text PRIMARY KEY, "data" blob, "createdAt" blob, "updatedAt" blob);`);
  return db;
}

/** Evolu's `applyMessages`: the newest of a column wins, every message is kept. */
function apply(db, messages) {
  const last = db.prepare(
    'SELECT "timestamp" FROM "evolu_message" WHERE "table" = ? AND "row" = ? AND "column" = ? ORDER BY "timestamp" DESC LIMIT 1',
  );
  const write = db.prepare(
    'INSERT INTO "observation" ("id", "data", "createdAt", "updatedAt") VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "data" = excluded."data", "updatedAt" = excluded."updatedAt"',
  );
  const keep = db.prepare(
    'INSERT INTO "evolu_message" ("timestamp", "table", "row", "column", "value") VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  db.transaction(() => {
    let tree = readTree(db);
    for (const { timestamp, table, row, column, value } of messages) {
      const parsed = unsafeTimestampFromString(timestamp);
      const known = last.get(table, row, column)?.timestamp;
      if (known === undefined || known < timestamp) {
        const at = new Date(parsed.millis).toISOString();
        write.run(row, value, at, at);
      }
      if (known === timestamp) continue;
      const { changes } = keep.run(timestamp, table, row, column, value);
      if (changes === 1) tree = insertIntoMerkleTree(tree, parsed);
    }
    db.prepare('INSERT OR REPLACE INTO "evolu_owner" ("id", "merkleTree") VALUES (?, ?)').run(
      owner,
      merkleTreeToString(tree),
    );
  })();
}

function readMessages(db) {
  return db
    .prepare(
      'SELECT "timestamp", "table", "row", "column", "value" FROM "evolu_message" ORDER BY "timestamp"',
    )
    .all();
}

function readTree(db) {
  const row = db.prepare('SELECT "merkleTree" FROM "evolu_owner"').get();
  return row === undefined ? initialMerkleTree : unsafeMerkleTreeFromString(row.merkleTree);
}

async function sync(url, { messages, tree, node }) {
  const body = SyncRequest.toBinary({
    messages: messages.map(encode),
    userId: owner,
    nodeId: node,
    merkleTree: merkleTreeToString(tree),
  });
  const headers = { "content-type": "application/x-protobuf" };
  const answer = await fetch(url, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}: ${await answer.text()}`);
  return SyncResponse.fromBinary(new Uint8Array(await answer.arrayBuffer()));
}

function encode({ timestamp, table, row, column, value }) {
  const content = MessageContent.toBinary({
    table,
    row,
    column,
    value: { oneofKind: "stringValue", stringValue: value },
  });
  return { timestamp, content: Buffer.concat([version, content]) };
}

function decode({ timestamp, content }) {
  const { table, row, column, value } = MessageContent.fromBinary(content.slice(version.length));
  return { timestamp, table, row, column, value: value.stringValue };
}

function checkTree(answer, tree) {
  const serverTree = unsafeMerkleTreeFromString(answer.merkleTree);
  if (Option.isSome(diffMerkleTrees(serverTree, tree))) {
    throw new Error("the merkle trees of client and server differ");
  }
}
