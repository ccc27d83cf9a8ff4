import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { foreignSession } from "../foreign-session.ts";
import type { Peer } from "../peer.ts";
import { freePort, startServer } from "../processes.ts";

const require = createRequire(import.meta.url);

/** Actual's real server; the client half is a small applier of ours in Actual's message format. */
export const actual: Peer = {
  name: "actual",
  title: "Actual sync-server 25.6.0 + crdt 2.1.0",
  notes: [
    "One message an observation and one request for all: its best case. Actual itself sends one message a field, ten times as many.",
    "The client half is ours (its message format, its merkle trie, its two tables); SQLite in WAL with synchronous=NORMAL, which may lose the last commits at a power cut.",
    "The server stores opaque blobs in SQLite in one transaction, with a lookup of the session a request, no compression.",
    "No scrubbing, no full-text index, no paging: the whole answer is held in memory.",
  ],
  start: async (place) => {
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
      const extra = await signUp(url);
      const client = new URL("client.mjs", import.meta.url);
      return await foreignSession(place, { server, client, url, extra });
    } catch (error) {
      await server.stop();
      throw error;
    }
  },
};

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
