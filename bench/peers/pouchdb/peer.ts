import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { foreignSession } from "../foreign-session.ts";
import type { Peer } from "../peer.ts";
import { startServer } from "../processes.ts";

/** PouchDB on both sides, replicating over HTTP; the real client and the real server. */
export const pouchdb: Peer = {
  name: "pouchdb",
  title: "PouchDB 9.0.0 → express-pouchdb 4.2.0",
  notes: [
    "LevelDB on both sides, one document an observation, batches of 500, its own replicator.",
    "It keeps a revision tree a document and checkpoints on both sides.",
    "No session, no scrubbing, no full-text index; writes are not flushed to disk one by one.",
    "The server runs in its leanest mode (minimumForPouchDB): no log, no authentication.",
  ],
  start: async (place) => {
    const folder = join(place.folder, "server");
    mkdirSync(folder);
    const program = fileURLToPath(new URL("server.mjs", import.meta.url));
    const server = await startServer(
      { args: [program, folder], folder },
      (output) => /listening on (\S+)/u.exec(output)?.[1],
    );
    const client = new URL("client.mjs", import.meta.url);
    return await foreignSession(place, { server, client, url: `${server.told}/observations` });
  },
};
