import type { ProgramCost, RunningServer } from "./programs.ts";

/** What an exchange cost, by process. */
export interface ExchangeCost {
  readonly wallSeconds: number;
  readonly cpu: { readonly client: number; readonly server: number; readonly postgres: number };
  readonly peakRssBytes: number;
}

/** Does the client's part of an exchange, and tells what it cost every process. */
export async function measured<Run extends ProgramCost>(
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
