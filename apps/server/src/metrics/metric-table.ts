import type { MetricRow } from "./exposition.ts";

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Every metric of the server (OPS84). A name is here if and only if the guide explains it; labels
 * are names of the program's own and never anybody's: no namespace, person, device or address.
 */
export const metricTable = {
  requests: {
    name: "tidemark_http_requests_total",
    type: "counter",
    help: "Requests that were answered, by route and status.",
  },
  duration: {
    name: "tidemark_http_request_duration_seconds",
    type: "histogram",
    help: "Time until an answer began, by route.",
    buckets: secondsBuckets,
  },
  refusals: {
    name: "tidemark_refusals_total",
    type: "counter",
    help: "Requests that were refused, by the code of the refusal.",
  },
  ops: {
    name: "tidemark_push_ops_total",
    type: "counter",
    help: "Changes in pushes that were taken, by result.",
  },
  streams: {
    name: "tidemark_poke_streams",
    type: "gauge",
    help: "Open streams of pokes.",
  },
  databaseUp: {
    name: "tidemark_database_up",
    type: "gauge",
    help: "1 where the database answered this scrape, else 0.",
  },
  transactions: {
    name: "tidemark_database_transactions",
    type: "gauge",
    help: "Transactions that are open or wait for a connection.",
  },
  connections: {
    name: "tidemark_database_connections_max",
    type: "gauge",
    help: "Connections to the database that this server opens at most for requests.",
  },
  namespaces: {
    name: "tidemark_namespaces",
    type: "gauge",
    help: "Namespaces.",
  },
  records: {
    name: "tidemark_records",
    type: "gauge",
    help: "Live records of all namespaces.",
  },
  bytes: {
    name: "tidemark_record_bytes",
    type: "gauge",
    help: "Bytes of live records of all namespaces, as quotas count them.",
  },
  quota: {
    name: "tidemark_quota_used_ratio_max",
    type: "gauge",
    help: "How much of its quota the fullest namespace uses, by what is counted.",
  },
  retention: {
    name: "tidemark_retention_rounds_total",
    type: "counter",
    help: "Rounds of putting away what is old, by outcome.",
  },
  retentionAt: {
    name: "tidemark_retention_last_success_timestamp_seconds",
    type: "gauge",
    help: "When such a round last succeeded, in seconds since 1970.",
  },
  memory: {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Memory of the process.",
  },
  cpu: {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "Time on a processor, in seconds.",
  },
  started: {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "When the process began, in seconds since 1970.",
  },
  version: {
    name: "tidemark_info",
    type: "gauge",
    help: "1, with the version of the program.",
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
