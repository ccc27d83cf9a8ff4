// One sender, one server, one receiver: the built programs, each in a process of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import Sqlite from "better-sqlite3";
import { measured, type ExchangeCost } from "./exchange-cost.ts";
import { exportText, generateObservations, type GeneratedObservation } from "./observations.ts";
import {
  databaseOf,
  measureTidemark,
  startServer,
  tidemark,
  type ProgramCost,
  type RunningServer,
} from "./programs.ts";
import { measureWarm, type WarmFigures } from "./warm.ts";

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
  readonly warm?: WarmFigures;
}

/**
 * Captures on one device, pushes, and pulls into another that is empty; then, where it is wanted,
 * the same in processes that have done it before.
 */
export async function measureExchange(
  folder: string,
  rows: readonly GeneratedObservation[],
  { isWarmWanted }: { readonly isWarmWanted: boolean },
): Promise<ExchangeFigures> {
  const [a, b, ...others] = ["a", "b", ...(isWarmWanted ? ["c", "d"] : [])].map((name) => {
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    return home;
  }) as [string, string, ...string[]];
  const server = await startServer(join(folder, "server"));
  try {
    tidemark(a, ["pair", server.setupLink, "--name", "a", "--json"]);
    for (const home of [b, ...others]) {
      const added = JSON.parse(tidemark(a, ["device", "add", "--json"])) as {
        readonly link: string;
      };
      tidemark(home, ["pair", added.link, "--name", basename(home), "--json"]);
    }
    warmServer(a, folder);
    for (const home of [b, ...others]) tidemark(home, ["sync"]);
    const file = join(folder, "observations.ndjson");
    writeFileSync(file, exportText(rows));
    const capture = await measureTidemark(a, ["import", file, "--json"], { name: "capture" });
    const start = await measureTidemark(b, ["sync"], { name: "start" });
    const sent = await measurePush(server, a, rows.length);
    const pull = await measured(server, () => measureTidemark(b, ["sync"], { name: "pull" }));
    checkReceived(b, rows.length);
    const serverPeakRssBytes = server.peakRssBytes();
    const figures = { capture, start, ...sent, pull: pull.cost, serverPeakRssBytes };
    const [first, second] = others;
    if (first === undefined || second === undefined) return figures;
    const warm = await measureWarm(server, { first, second }, rows.length);
    checkReceived(second, rows.length);
    return { ...figures, warm };
  } finally {
    await server.stop();
  }
}

const warmCount = 10_000;

/** A server runs for weeks: it has taken and given some before, in another namespace. */
function warmServer(a: string, folder: string): void {
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
  tidemark(a, ["import", file, "--namespace", created.id, "--json"]);
  tidemark(a, ["sync"]);
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

// A list counts to 10,000 only; `status` counts all.
function checkReceived(home: string, count: number): void {
  const { namespaces } = JSON.parse(tidemark(home, ["status", "--json"])) as {
    readonly namespaces: readonly { readonly observations: number }[];
  };
  const received = namespaces.reduce((sum, { observations }) => sum + observations, 0);
  if (received !== count + warmCount) {
    throw new Error(`the second device has ${received} of ${count + warmCount} observations`);
  }
}
