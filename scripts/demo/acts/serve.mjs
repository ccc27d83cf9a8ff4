import { relative } from "node:path";
import { tmpdir } from "node:os";
import { claim } from "../claim.mjs";
import { startServer } from "../server.mjs";
import { createWire } from "../wire.mjs";

/** Starts the server on its own database, and the recorder that stands before it. */
export const serve = {
  short: "Server",
  title: "A server starts",
  async run(world, { screen }) {
    const { stage } = world;
    const wire = await createWire();
    stage.onClose(() => wire.close());
    screen.progress("making its database");
    const { server, ready } = await startServer({ folder: stage.folder, publicUrl: wire.url });
    stage.onClose(() => server.stop());
    wire.connectTo(server.port);
    Object.assign(world, { wire, server });
    await ready;
    const answer = await fetch(`${wire.url}/v1/hello`);
    const hello = await answer.json();
    claim(answer.ok && String(hello.server?.id).startsWith("srv_"), "the server says hello", hello);
    return {
      facts: [
        `on a PostgreSQL of its own in ${relative(tmpdir(), server.dataDir)}`,
        `at ${wire.url}, where a proxy records every byte that passes`,
      ],
      summary: "own PostgreSQL, loopback only",
    };
  },
};
