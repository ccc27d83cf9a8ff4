import type { Quota } from "../domain/quota.ts";
import type { Answered } from "../http/middleware/observe.ts";
import type { StoreUsage } from "../store/port.ts";
import { createMetric, type Metric } from "./exposition.ts";
import { metricTable } from "./metric-table.ts";

/** What the process says of itself. */
export interface ProcessFacts {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly startedAtMs: number;
}

/** Where gauges are read at each scrape. */
export interface MetricSources {
  streams(): number;
  usage(): Promise<StoreUsage>;
  process(): ProcessFacts;
}

/** What a server counts, and tells as text. */
export interface ServerMetrics {
  answered(answer: Answered): void;
  /** A transaction begins (1) or is over (-1). */
  transaction(change: 1 | -1): void;
  retention(isDone: boolean, nowMs: number): void;
  /** The whole text of a scrape; a database that does not answer is told by it, not a failure. */
  render(sources: MetricSources): Promise<string>;
}

/** Makes the metrics of one server. */
export function createServerMetrics(facts: {
  readonly version: string;
  readonly quota: Quota;
  readonly connectionsMax: number;
}): ServerMetrics {
  const metrics = Object.fromEntries(
    Object.entries(metricTable).map(([key, row]) => [key, createMetric(row)]),
  ) as Record<keyof typeof metricTable, Metric>;
  let transactions = 0;
  metrics.version.set({ version: facts.version }, 1);
  metrics.connections.set({}, facts.connectionsMax);
  for (const outcome of ["done", "failed"]) metrics.retention.add({ outcome }, 0);
  return {
    answered: (answer) => {
      countAnswer(metrics, answer);
    },
    transaction: (change) => {
      transactions += change;
    },
    retention: (isDone, nowMs) => {
      metrics.retention.add({ outcome: isDone ? "done" : "failed" }, 1);
      if (isDone) metrics.retentionAt.set({}, nowMs / 1000);
    },
    render: async (sources) => {
      // Read before the scrape's own query takes a connection.
      metrics.transactions.set({}, transactions);
      metrics.streams.set({}, sources.streams());
      noteProcess(metrics, sources.process());
      await noteUsage(metrics, sources, facts.quota);
      return Object.values(metrics)
        .map((metric) => metric.render())
        .join("");
    },
  };
}

type Metrics = Record<keyof typeof metricTable, Metric>;

function countAnswer(metrics: Metrics, answer: Answered): void {
  const { route, status, ms, code, ops } = answer;
  metrics.requests.add({ route, status: String(status) }, 1);
  metrics.duration.add({ route }, ms / 1000);
  if (code !== undefined) metrics.refusals.add({ code }, 1);
  if (ops === undefined) return;
  let named = 0;
  for (const [result, count] of Object.entries(ops.byResult)) {
    metrics.ops.add({ result }, count);
    named += count;
  }
  // Those that were plainly applied are not named in an answer.
  metrics.ops.add({ result: "applied" }, ops.count - named);
}

function noteProcess(metrics: Metrics, facts: ProcessFacts): void {
  metrics.memory.set({}, facts.memoryBytes);
  metrics.cpu.set({}, facts.cpuSeconds);
  metrics.started.set({}, facts.startedAtMs / 1000);
}

async function noteUsage(
  metrics: Metrics,
  sources: Pick<MetricSources, "usage">,
  quota: Quota,
): Promise<void> {
  const gauges = [metrics.namespaces, metrics.records, metrics.bytes, metrics.quota];
  for (const gauge of gauges) gauge.clear();
  try {
    const usage = await sources.usage();
    metrics.databaseUp.set({}, 1);
    metrics.namespaces.set({}, usage.namespaces);
    metrics.records.set({}, usage.records);
    metrics.bytes.set({}, usage.bytes);
    metrics.quota.set({ of: "records" }, usage.recordsMost / quota.recordsMax);
    metrics.quota.set({ of: "bytes" }, usage.bytesMost / quota.bytesMax);
  } catch {
    metrics.databaseUp.set({}, 0);
  }
}
