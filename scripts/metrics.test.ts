import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { MetricRow } from "../apps/server/src/metrics/exposition.ts";
import { metricTable } from "../apps/server/src/metrics/metric-table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const rows: readonly MetricRow[] = Object.values(metricTable);

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

test("[OPS84] the guide has a row of each metric, with its type and meaning, and of no other", () => {
  const guide = readFileSync(join(root, "docs/guides/metrics.md"), "utf8");
  const listed = [
    ...guide.matchAll(/^\| `((?:tidemark|process)_\w+)` \| (\w+) \|[^|]*\| (.+) \|$/gm),
  ];
  expect(listed.map(([, name, type, help]) => [name, type, help])).toEqual(
    rows.map(({ name, type, help }) => [name, type, help]),
  );
});

test("[OPS84] the dashboard asks for metrics that exist, and leaves none out", () => {
  const text = readFileSync(join(root, "deploy/grafana/tidemark.json"), "utf8");
  const { panels } = JSON.parse(text) as Dashboard;
  const asked = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:tidemark|process)_\w+/g) ?? []),
  );
  const known = rows.flatMap(({ name, type }) =>
    type === "histogram" ? [`${name}_bucket`] : name,
  );
  expect(asked.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !asked.includes(name))).toEqual([]);
});
