// One sender, one server, one receiver: the built programs, each in a process of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { generateObservations, type GeneratedObservation } from "./observations.ts";
import {
  databaseOf,
  measureTidemark,
  startServer,
  tidemark,
  type ProgramCost,
  type RunningServer,
} from "./programs.ts";

/** What an exchange cost, by process. */
export interface ExchangeCost {
  readonly wallSeconds: number;
  readonly cpu: { readonly client: number; readonly server: number; readonly postgres: number };
  readonly peakRssBytes: number;
}

/** What was measured of one exchange. */
export interface ExchangeFigures {
  readonly capture: ProgramCost;
  /** From the sender's start until the server has acknowledged its last op. */
  readonly acknowledged: ExchangeCost;
  /** The sender's whole sync: all sent, its echo pulled and verified. */
  readonly sync: ExchangeCost;
  readonly pull: ExchangeCost;
  /** A sync with nothing to do. */
  readonly start: ProgramCost;
  readonly serverPeakRssBytes: number;
}

/** Captures on one device, pushes, and pulls into another that is empty. */
export async function measureExchange(
  folder: string,
  rows: readonly GeneratedObservation[],
): Promise<ExchangeFigures> {
  const [a, b] = ["a", "b"].map((name) => {
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    return home;
  }) as [string, string];
  const server = await startServer(join(folder, "server"));
  try {
    tidemark(a, ["pair", server.setupLink, "--name", "a", "--json"]);
    const added = JSON.parse(tidemark(a, ["device", "add", "--json"])) as { readonly link: string };
    tidemark(b, ["pair", added.link, "--name", "b", "--json"]);
    warmServer(a, b, folder);
    const file = join(folder, "observations.ndjson");
    writeFileSync(file, exportText(rows));
    const capture = await measureTidemark(a, ["import", file, "--json"], { name: "capture" });
    const start = await measureTidemark(b, ["sync"], { name: "start" });
    const sent = await measurePush(server, a, rows.length);
    const pull = await measured(server, () => measureTidemark(b, ["sync"], { name: "pull" }));
    checkReceived(b, rows.length);
    const serverPeakRssBytes = server.peakRssBytes();
    return { capture, start, ...sent, pull: pull.cost, serverPeakRssBytes };
  } finally {
    await server.stop();
  }
}

const warmCount = 2000;

/** A server runs for weeks: it has taken and given some before, in another namespace. */
function warmServer(a: string, b: string, folder: string): void {
  const created = JSON.parse(tidemark(a, ["namespace", "create", "warm", "--json"])) as {
    readonly id: string;
  };
  const file = join(folder, "warm.ndjson");
  const rows = generateObservations(warmCount, 7).map(({ fields }, index) => ({
    id: `warm${String(index).padStart(8, "0")}`,
    fields,
  }));
  writeFileSync(file, exportText(rows, created.id));
  tidemark(a, ["sync"]);
  tidemark(a, ["import", file, "--json"]);
  tidemark(a, ["sync"]);
  tidemark(b, ["sync"]);
}

async function measurePush(
  server: RunningServer,
  home: string,
  count: number,
): Promise<Pick<ExchangeFigures, "acknowledged" | "sync">> {
  const db = new Sqlite(databaseOf(home), { readonly: true });
  const position = db.prepare("SELECT acked FROM replicas WHERE kind = 'personal'").pluck();
  let then: ReturnType<RunningServer["cpu"]> | undefined;
  const until = (): boolean => {
    if (Number(position.get()) < count) return false;
    then = server.cpu();
    return true;
  };
  const before = server.cpu();
  const { cost, run } = await measured(server, () =>
    measureTidemark(home, ["sync"], { name: "push", until }),
  );
  db.close();
  if (run.reached === undefined || then === undefined) {
    throw new Error("the sync ended before the server had acknowledged everything");
  }
  const { wallSeconds, cpuSeconds } = run.reached;
  const cpu = {
    client: cpuSeconds,
    server: then.program - before.program,
    postgres: then.postgres - before.postgres,
  };
  return { sync: cost, acknowledged: { wallSeconds, cpu, peakRssBytes: cost.peakRssBytes } };
}

async function measured<Run extends ProgramCost>(
  server: RunningServer,
  work: () => Promise<Run>,
): Promise<{ readonly cost: ExchangeCost; readonly run: Run }> {
  const before = server.cpu();
  const run = await work();
  const after = server.cpu();
  const { wallSeconds, cpuSeconds, peakRssBytes } = run;
  const cpu = {
    client: cpuSeconds,
    server: after.program - before.program,
    postgres: after.postgres - before.postgres,
  };
  return { run, cost: { wallSeconds, cpu, peakRssBytes } };
}

function checkReceived(home: string, count: number): void {
  const listed = JSON.parse(tidemark(home, ["list", "--limit", "1", "--json"])) as {
    readonly total: number;
  };
  if (listed.total !== count + warmCount) {
    throw new Error(`the second device has ${listed.total} of ${count + warmCount} observations`);
  }
}

/** The export lines that bring observations into a personal namespace, or into another one. */
export function exportText(rows: readonly GeneratedObservation[], namespace = "personal"): string {
  return rows
    .map(({ id, fields }, index) =>
      JSON.stringify({
        namespace,
        id,
        collection: "observation",
        lamport: index + 1,
        writer: "bench",
        at: fields["createdAt"],
        fields,
      }),
    )
    .join("\n");
}
