import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../../scripts/bundle.ts";
import { exportText } from "../../sync/observations.ts";
import type { Contents, Peer, Place, Session, Step } from "../peer.ts";
import { measureProgram, runProgram, startServer, type Command } from "../processes.ts";

const client = fileURLToPath(new URL("../../../apps/client/dist/main.js", import.meta.url));
const serverProgram = fileURLToPath(new URL("../../../apps/server/dist/main.js", import.meta.url));
const engine = fileURLToPath(new URL("engine.ts", import.meta.url));

const everythingOn = [
  "Device assertions are signed, clocks and writer chains are checked, answers and requests are compressed.",
  "Each push request is one transaction that PostgreSQL flushes to disk; SQLite runs with synchronous=FULL on both devices.",
  "Before its outbox lets go of a change, A compares the digest of all it holds with what its push made of the namespace: no other engine here does.",
  "The view and the full-text index are kept up to date while B pulls. Scrubbing happens when an observation is made or imported, so before the push.",
];

/** The built programs as a person runs them: `tidemark sync` on A, then on B. */
export const tidemark: Peer = {
  name: "tidemark",
  title: "Tidemark, the built `tidemark sync`",
  notes: everythingOn,
  start: async (place) =>
    await startSession(place, async (command, serverPid) =>
      measureProgram({ ...command, args: [client, "sync"] }, serverPid, false),
    ),
};

/** The same engine against the same built server, without the start of a command-line program. */
export const tidemarkEngine: Peer = {
  name: "tidemark-engine",
  title: "Tidemark, the engine in a process that runs",
  notes: everythingOn,
  start: async (place) => {
    const program = join(place.folder, "engine.mjs");
    await bundle(engine, program);
    return await startSession(place, async (command, serverPid) => {
      const args = [program, "sync", JSON.stringify({ folder: command.folder })];
      const { work } = await measureProgram({ ...command, args }, serverPid, true);
      // How such a file starts says nothing of the programs that are built.
      return { program: undefined, work };
    });
  },
};

type Sync = (command: Omit<Command, "args">, serverPid: number) => Promise<Step>;

async function startSession(place: Place, sync: Sync): Promise<Session> {
  const [a, b, folder] = ["a", "b", "server"].map((name) => {
    const path = join(place.folder, name);
    mkdirSync(path);
    return path;
  }) as [string, string, string];
  const server = await startServer(
    { args: [serverProgram, "serve", "--data-dir", join(folder, "data"), "--port", "0"], folder },
    (output) => /'(http[^']+#s=[^']+)'/u.exec(output)?.[1],
  );
  try {
    await prepare(place, server.told, a, b);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    push: async () => await sync(homeOf(a), server.pid),
    pull: async () => await sync(homeOf(b), server.pid),
    contents: async () => await contents(place, b),
    stop: async () => await server.stop(),
  };
}

async function prepare(place: Place, link: string, a: string, b: string): Promise<void> {
  await run(a, ["pair", link, "--name", "a", "--json"]);
  const added = JSON.parse(await run(a, ["device", "add", "--json"])) as { readonly link: string };
  await run(b, ["pair", added.link, "--name", "b", "--json"]);
  const file = join(place.folder, "import.ndjson");
  writeFileSync(file, exportText(lines(place.rows)));
  await run(a, ["import", file, "--json"]);
}

async function contents(place: Place, home: string): Promise<Contents> {
  const exported = join(place.folder, "export.ndjson");
  await run(home, ["export", "--output", exported]);
  const file = join(place.folder, "b.ndjson");
  const observations = lines(exported).filter(({ collection }) => collection === "observation");
  writeFileSync(
    file,
    observations.map(({ id, fields }) => JSON.stringify({ id, fields })).join("\n"),
  );
  return { file, own: { origin: "import" } };
}

interface Line {
  readonly id: string;
  readonly collection?: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function lines(path: string): readonly Line[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

async function run(home: string, args: readonly string[]): Promise<string> {
  return await runProgram({ ...homeOf(home), args: [client, ...args] });
}

function homeOf(folder: string): Omit<Command, "args"> {
  return { folder, env: { TIDEMARK_HOME: join(folder, "tidemark") } };
}
