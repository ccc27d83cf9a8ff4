import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { foreignSession } from "../foreign-session.ts";
import type { Peer, Place, Session } from "../peer.ts";
import { freePort, startServer } from "../processes.ts";

const require = createRequire(import.meta.url);

const halves = [
  "The client half is ours (its message format, its merkle trie, its tables); SQLite in WAL with synchronous=NORMAL, which may lose the last commits at a power cut.",
  "The server stores opaque blobs in SQLite in one transaction, with a lookup of the session a request, no compression.",
  "No scrubbing, no full-text index, no paging: the whole answer is held in memory.",
];

/** Actual's real server; the client half is a small applier of ours in Actual's message format. */
export const actual: Peer = {
  name: "actual",
  title: "Actual sync-server 25.6.0 + crdt 2.1.0, a message a field",
  notes: [
    "One message a field, as Actual itself sends: of two people who edit two fields of one observation both edits stay. One request for all.",
    ...halves,
  ],
  start: async (place) => await startSession(place, "field"),
};

/** The same with as few messages as its format allows. */
export const actualRows: Peer = {
  name: "actual-rows",
  title: "The same, a message an observation",
  notes: [
    "One message an observation, a tenth of what Actual itself sends: of two people who edit two fields of one observation one loses without a word, so it does less than every other engine here but Evolu's in the same use.",
    ...halves,
  ],
  start: async (place) => await startSession(place, "observation"),
};

async function startSession(place: Place, messageOf: "field" | "observation"): Promise<Session> {
  const folder = join(place.folder, "server");
  for (const part of ["server-files", "user-files"]) {
    mkdirSync(join(folder, part), { recursive: true });
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const home = dirname(require.resolve("@actual-app/sync-server/package.json"));
  const env = {
    NODE_ENV: "production",
    ACTUAL_DATA_DIR: folder,
    ACTUAL_HOSTNAME: "127.0.0.1",
    ACTUAL_PORT: String(port),
    ACTUAL_UPLOAD_FILE_SYNC_SIZE_LIMIT_MB: "1024",
  };
  const server = await startServer(
    { args: [join(home, "build", "app.js")], folder, env },
    (output) => (output.includes("Listening on") ? url : undefined),
  );
  try {
    const extra = { ...(await signUp(url)), messageOf };
    const client = new URL("client.mjs", import.meta.url);
    return await foreignSession(place, { server, client, url, extra });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Makes the account and an empty budget file, whose group is what syncs. */
async function signUp(url: string): Promise<Readonly<Record<string, string>>> {
  const account = await post(`${url}/account/bootstrap`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ password: "bench" }),
  });
  const token = String((account as { data?: { token?: unknown } }).data?.token);
  const fileId = "bench-file";
  const file = await post(`${url}/sync/upload-user-file`, {
    headers: {
      "content-type": "application/encrypted-file",
      "x-actual-token": token,
      "x-actual-file-id": fileId,
      "x-actual-name": "bench",
      "x-actual-format": "2",
    },
    body: "bench",
  });
  return { token, fileId, groupId: String((file as { groupId?: unknown }).groupId) };
}

async function post(
  url: string,
  init: { readonly headers: Record<string, string>; readonly body: string },
): Promise<unknown> {
  const answer = await fetch(url, { method: "POST", signal: AbortSignal.timeout(30_000), ...init });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return await answer.json();
}
