import { expect, test } from "vitest";
import { quotaPreset } from "../domain/quota.ts";
import type { Answered } from "../http/middleware/observe.ts";
import { createMetric } from "./exposition.ts";
import { createServerMetrics } from "./server-metrics.ts";

const usage = { namespaces: 2, records: 30, bytes: 400, recordsMost: 20, bytesMost: 300 };
const sources = {
  streams: () => 3,
  usage: async () => await Promise.resolve(usage),
  process: () => ({ memoryBytes: 5, cpuSeconds: 0.5, startedAtMs: 2_000 }),
};
const quota = { ...quotaPreset, recordsMax: 80, bytesMax: 600 };

function create() {
  return createServerMetrics({ version: "1.2.3", quota, connectionsMax: 8 });
}

function answer(given: Partial<Answered>): Answered {
  const nothing = { code: undefined, device: undefined, ops: undefined };
  return { requestId: "r", route: "push", status: 200, ms: 30, ...nothing, ...given };
}

/** Values by the text before them. */
async function valuesOf(
  metrics: ReturnType<typeof create>,
  from: typeof sources = sources,
): Promise<Readonly<Record<string, number>>> {
  const lines = (await metrics.render(from)).split("\n").filter((line) => /^[^#]/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

test("[OPS84] requests, refusals, changes and times are counted by what the program calls them", async () => {
  const metrics = create();
  const ops = { count: 10, byResult: { conflict: 2, rejected: 1 } };
  metrics.answered(answer({ ops }));
  metrics.answered(answer({ status: 429, code: "rate-limited", ms: 4 }));
  expect(await valuesOf(metrics)).toMatchObject({
    'tidemark_http_requests_total{route="push",status="200"}': 1,
    'tidemark_http_requests_total{route="push",status="429"}': 1,
    'tidemark_refusals_total{code="rate-limited"}': 1,
    'tidemark_push_ops_total{result="applied"}': 7,
    'tidemark_push_ops_total{result="conflict"}': 2,
    'tidemark_http_request_duration_seconds_bucket{route="push",le="0.005"}': 1,
    'tidemark_http_request_duration_seconds_bucket{route="push",le="0.05"}': 2,
    'tidemark_http_request_duration_seconds_bucket{route="push",le="+Inf"}': 2,
    'tidemark_http_request_duration_seconds_count{route="push"}': 2,
    'tidemark_http_request_duration_seconds_sum{route="push"}': 0.034,
  });
});

test("[OPS84] streams, pool, quota, retention and the process are read when they are asked for", async () => {
  const metrics = create();
  metrics.transaction(1);
  metrics.transaction(1);
  metrics.transaction(-1);
  metrics.retention(false, 0);
  metrics.retention(true, 7_000);
  expect(await valuesOf(metrics)).toMatchObject({
    tidemark_poke_streams: 3,
    tidemark_database_up: 1,
    tidemark_database_transactions: 1,
    tidemark_database_connections_max: 8,
    tidemark_namespaces: 2,
    tidemark_records: 30,
    tidemark_record_bytes: 400,
    'tidemark_quota_used_ratio_max{of="records"}': 0.25,
    'tidemark_quota_used_ratio_max{of="bytes"}': 0.5,
    'tidemark_retention_rounds_total{outcome="done"}': 1,
    'tidemark_retention_rounds_total{outcome="failed"}': 1,
    tidemark_retention_last_success_timestamp_seconds: 7,
    process_resident_memory_bytes: 5,
    process_cpu_seconds_total: 0.5,
    process_start_time_seconds: 2,
    'tidemark_info{version="1.2.3"}': 1,
  });
});

test("[OPS84] a database that is away is a figure, and what it had said is not told again", async () => {
  const metrics = create();
  await metrics.render(sources);
  const away = { ...sources, usage: async () => await Promise.reject(new Error("away")) };
  const values = await valuesOf(metrics, away);
  expect(values).toMatchObject({ tidemark_database_up: 0, tidemark_poke_streams: 3 });
  expect(values).not.toHaveProperty("tidemark_records");
});

test("[OPS84] labels are escaped, and no more than 2,000 sets of them are kept of a metric", () => {
  const metric = createMetric({ name: "m", type: "counter", help: "h" });
  metric.add({ a: 'x"y\\z\n' }, 1);
  expect(metric.render()).toBe('# HELP m h\n# TYPE m counter\nm{a="x\\"y\\\\z\\n"} 1\n');
  for (let count = 0; count < 5_000; count += 1) metric.add({ a: String(count) }, 1);
  const lines = metric.render().trimEnd().split("\n");
  expect(lines).toHaveLength(2_003);
  expect(lines.at(-1)).toBe("m 3001");
});
