import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Place, Session, Step } from "./peer.ts";
import { measureProgram, runProgram, type Server } from "./processes.ts";

/** A server and the client program, in the shape of `client-verbs.mjs`, that speaks to it. */
interface Halves {
  readonly server: Server;
  readonly client: URL;
  readonly url: string;
  /** What the client needs besides, such as a token. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** The session of a peer whose client half is a `client.mjs` of ours; A is prepared with the rows. */
export async function foreignSession(place: Place, halves: Halves): Promise<Session> {
  const { server, url, extra } = halves;
  const client = fileURLToPath(halves.client);
  const command = (device: string, verb: string) => {
    const folder = join(place.folder, device);
    mkdirSync(folder, { recursive: true });
    const out = join(place.folder, `${device}.ndjson`);
    const text = JSON.stringify({ folder, url, out, rows: place.rows, ...extra });
    return { args: [client, verb, text], folder };
  };
  const measure = async (device: string, verb: string): Promise<Step> =>
    await measureProgram(command(device, verb), server.pid, true);
  try {
    await runProgram(command("a", "prepare"));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    push: async () => await measure("a", "push"),
    pull: async () => await measure("b", "pull"),
    contents: async () => {
      await runProgram(command("b", "dump"));
      return { file: join(place.folder, "b.ndjson") };
    },
    stop: async () => await server.stop(),
  };
}
