import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { foreignSession } from "../foreign-session.ts";
import type { Peer } from "../peer.ts";
import { startServer } from "../processes.ts";

/** Evolu's server of its fifth series, the last that runs on Node 20; the client half is ours. */
export const evolu: Peer = {
  name: "evolu",
  title: "Evolu @evolu/server 7.2.8 + common 5.4.8, encryption off",
  notes: [
    "One message an observation: its best case. Evolu itself sends one message a column.",
    "Encryption, which Evolu always does, is left out: sealing and opening would come on top.",
    "The client half is ours (its SQL, its merkle tree, its protobuf, without Effect); SQLite in WAL with synchronous=NORMAL.",
    "The server knows no session: whoever names an owner gets its messages. No compression, no paging, no scrubbing, no full-text index.",
  ],
  start: async (place) => {
    const folder = join(place.folder, "server");
    mkdirSync(folder);
    const program = fileURLToPath(new URL("server.mjs", import.meta.url));
    const server = await startServer(
      { args: [program], folder },
      (output) => /listening on (\S+)/u.exec(output)?.[1],
    );
    const client = new URL("client.mjs", import.meta.url);
    return await foreignSession(place, { server, client, url: server.told });
  },
};
