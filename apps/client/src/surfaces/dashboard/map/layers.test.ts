import type { NamespaceId, RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Whereabouts } from "../../../store/reads/whereabouts.ts";
import { layersOf, summaryOf, type MapColumn, type MapLayers } from "./layers.ts";
import { everywhere, inScope, onlyProject, type MapScope } from "./scope.ts";

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
const kinds = ["decision", "change", "failure"];

function observation(n: number, part: Partial<Whereabouts> = {}): Whereabouts {
  return {
    id: `id${n}` as RecordId,
    namespace: "personal" as NamespaceId,
    kind: kinds[n % kinds.length] ?? "",
    project: "harbour",
    session: `s${Math.floor(n / 10)}`,
    createdAt: startMs + n * 3_600_000,
    files: [`src/part-${n % 40}/a.ts`, `test/part-${n % 7}.ts`],
    ...part,
  };
}

function drawn(all: readonly Whereabouts[], part: Partial<MapScope> = {}): MapLayers {
  const scope = { ...everywhere, project: onlyProject(all) ?? "", ...part };
  return layersOf(inScope(all, scope), scope, {
    session: (id) => `session ${id}`,
    title: ({ id }) => `title ${id}`,
    to: (next) => `/map?${JSON.stringify(next)}`,
  });
}

const labels = ({ nodes }: MapColumn): readonly string[] => nodes.map(({ label }) => label);
const sum = (values: readonly { readonly weight: number }[]): number =>
  values.reduce((total, { weight }) => total + weight, 0);

test("[DA9] few observations and sessions stand by themselves, in their order", () => {
  const all = [2, 0, 1].map((n) => observation(n, { session: n === 1 ? null : `s${n}` }));
  const { columns } = drawn(all);
  expect(columns.map(labels)).toEqual([
    ["session s0", "outside a session", "session s2"],
    ["title id0", "title id1", "title id2"],
    ["src/", "test/"],
  ]);
  expect(columns[1].nodes[0]?.href).toBe("/memory/id0");
  expect(columns[0].nodes[1]?.href).toBeUndefined();
});

test("[DA9] however many there are, each column has few things, and none is left out", () => {
  const all = Array.from({ length: 20_000 }, (_, n) => observation(n));
  const { columns, flows } = drawn(all);
  expect(columns.map(({ title }) => title)).toEqual(["By time", "By kind", "Files"]);
  for (const { nodes } of columns) {
    expect(nodes.length).toBeLessThan(33);
    expect(sum(nodes)).toBeCloseTo(20_000);
  }
  for (const flow of flows) expect(sum(flow)).toBeCloseTo(20_000);
  expect(labels(columns[0]).slice(0, 2)).toEqual(["2026-01", "2026-02"]);
});

test("[DA9] a part of the map is looked at by folder, time and kind", () => {
  const all = Array.from({ length: 2_000 }, (_, n) => observation(n));
  const { columns } = drawn(all, { path: "src", period: "2026-01", kind: "decision" });
  expect(labels(columns[1])).toEqual(["decision"]);
  expect(labels(columns[0])[0]).toBe("2026-01-01");
  expect(columns[0].nodes.length).toBe(31);
  expect(labels(columns[2]).at(-1)).toBe("26 others");
  expect(columns[2].nodes.at(-1)?.href).toBe('/map?{"skip":14}');
  const rest = drawn(all, { path: "src", period: "2026-01", kind: "decision", skip: 28 });
  expect(rest.columns[2].nodes.length).toBe(13);
  expect(rest.columns[2].nodes.at(-1)?.href).toBeUndefined();
});

test("[DA9] the way down skips folders that hold one thing, and ends at a file", () => {
  const files = ["apps/client/src/main.ts", "apps/client/src/store/open.ts"];
  const all = files.map((file, n) => observation(n, { files: [file] }));
  const { nodes } = drawn(all).columns[2];
  expect(nodes.map(({ label }) => label)).toEqual([
    "apps/client/src/main.ts",
    "apps/client/src/store/",
  ]);
  expect(nodes[1]?.href).toBe('/map?{"path":"apps/client/src/store"}');
  const file = drawn(all, { path: files[0] ?? "" });
  expect(file.columns[2].nodes).toMatchObject([{ label: "main.ts", count: 1, href: undefined }]);
});

test("[DA9] several projects are told apart, and what names no file is there", () => {
  const all = [
    observation(0),
    observation(1, { project: null, files: [] }),
    observation(2, { project: "git:example.com/ada/quay" }),
  ];
  expect(labels(drawn(all).columns[2])).toEqual(["no project", "quay", "harbour"]);
  expect(labels(drawn(all, { project: "-" }).columns[2])).toEqual(["no file"]);
  const scope = { ...everywhere, project: "harbour" };
  expect(summaryOf(inScope(all, scope))).toBe("1 observation, 1 session, 2 files");
});

test("[DA9] many sessions of one day stand by count", () => {
  const all = Array.from({ length: 60 }, (_, n) =>
    observation(n, { session: `s${n % 20}`, createdAt: startMs + (n % 9) * 1_000 }),
  );
  const { nodes } = drawn(all, { period: "2026-01-01" }).columns[0];
  expect(nodes.length).toBe(15);
  expect(nodes.at(-1)?.label).toBe("6 others");
  expect(drawn(all, { period: "2026-01-02" }).columns[0].nodes).toEqual([]);
  expect(startMs % dayMs).toBe(0);
});
