/** Labels of one sample, by name. */
export type Labels = Readonly<Record<string, string>>;

/** What a metric is called and means; one row of the table beside. */
export interface MetricRow {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

/** Something that counts or stands at a value. */
export interface Metric {
  /** Adds to a counter, or notes one value of a histogram. */
  add(labels: Labels, value: number): void;
  /** Sets what a gauge shows. */
  set(labels: Labels, value: number): void;
  /** Takes away all samples, where the next ones say it anew. */
  clear(): void;
  /** The lines of it, as Prometheus reads text (format 0.0.4). */
  render(): string;
}

interface Series {
  readonly labels: Labels;
  value: number;
  sum: number;
  readonly counts: number[];
}

/** Label sets of one metric; what comes later is counted under none, so that memory is bounded. */
const seriesMax = 2_000;

/** Makes an empty metric. */
export function createMetric(row: MetricRow): Metric {
  const seriesByKey = new Map<string, Series>();
  const seriesOf = (labels: Labels): Series => {
    const key = labelText(labels);
    const known = seriesByKey.get(key);
    if (known !== undefined) return known;
    if (seriesByKey.size >= seriesMax && key !== "") return seriesOf({});
    const made = { labels, value: 0, sum: 0, counts: (row.buckets ?? []).map(() => 0) };
    seriesByKey.set(key, made);
    return made;
  };
  return {
    add: (labels, value) => {
      const series = seriesOf(labels);
      if (row.type !== "histogram") {
        series.value += value;
        return;
      }
      series.value += 1;
      series.sum += value;
      for (const [at, bound] of (row.buckets ?? []).entries()) {
        if (value <= bound) series.counts[at] = (series.counts[at] ?? 0) + 1;
      }
    },
    set: (labels, value) => {
      seriesOf(labels).value = value;
    },
    clear: () => {
      seriesByKey.clear();
    },
    render: () => {
      const lines = [...seriesByKey.values()].flatMap((series) => linesOf(row, series));
      const head = [`# HELP ${row.name} ${row.help}`, `# TYPE ${row.name} ${row.type}`];
      return `${[...head, ...lines].join("\n")}\n`;
    },
  };
}

function linesOf(row: MetricRow, { labels, value, sum, counts }: Series): readonly string[] {
  if (row.type !== "histogram") return [`${row.name}${labelText(labels)} ${value}`];
  const bounds = [...(row.buckets ?? []).map(String), "+Inf"];
  const within = [...counts, value];
  return [
    ...bounds.map(
      (le, at) => `${row.name}_bucket${labelText({ ...labels, le })} ${within[at] ?? value}`,
    ),
    `${row.name}_sum${labelText(labels)} ${sum}`,
    `${row.name}_count${labelText(labels)} ${value}`,
  ];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
