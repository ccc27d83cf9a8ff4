import { collections } from "@tidemark/protocol";
import { html } from "hono/html";
import type { Whereabouts } from "../../../store/reads/whereabouts.ts";
import type { DashboardDeps } from "../deps.ts";
import { lines, page, type Line, type Markup } from "../layout.ts";
import type { MapNames } from "../map/groupings.ts";
import { layersOf, summaryOf, type MapColumn } from "../map/layers.ts";
import { narrowFrame, picture, wideFrame } from "../map/picture.ts";
import { inScope, onlyProject, type MapScope } from "../map/scope.ts";
import { counted, projectName } from "../words.ts";

/** How observations, files and sessions hang together, as a picture and as lists. */
export function mapPage(deps: DashboardDeps, asked: MapScope): Markup {
  const all = deps.memory.store.reads.whereabouts();
  if (all.length === 0) return page("Map", "/map", lines([], "Nothing was captured yet."));
  const scope = { ...asked, project: asked.project || (onlyProject(all) ?? "") };
  const placed = inScope(all, scope);
  const names = namesOf(deps, all, scope);
  if (placed.length === 0) {
    const none = lines([], "Nothing of this part is in memory.");
    return page("Map", "/map", html`${trail(asked, names.to)}${none}`);
  }
  const layers = layersOf(placed, scope, names);
  const summary = summaryOf(placed);
  return page(
    "Map",
    "/map",
    html`${trail(asked, names.to)}
      <p class="meta">${summary}. The wider a band, the more of them.</p>
      ${[wideFrame, narrowFrame].map((frame) => picture(layers, frame, summary))}
      <h2>The same in words</h2>
      ${layers.columns.map(columnList)}`,
  );
}

function columnList({ title, nodes }: MapColumn): Markup {
  const rows = nodes.map(({ label, href, count }): Line => {
    const meta = counted(count, "observation");
    return href === undefined ? { title: label, meta } : { title: label, meta, href };
  });
  return html`<details>
    <summary>${title}: ${rows.length}</summary>
    ${lines(rows, "Nothing.")}
  </details>`;
}

/** What narrows the map, each a link to the map without what comes after it. */
function trail(scope: MapScope, to: MapNames["to"]): Markup | "" {
  const { project, path, period, kind } = scope;
  const folders = path === "" ? [] : path.split("/");
  const steps = [
    ["Everything", "/map"],
    ...(project === "" ? [] : [[projectName(project), to({ path: "", period: "", kind: "" })]]),
    ...folders.map((name, index) => [name, to({ path: folders.slice(0, index + 1).join("/") })]),
  ].filter(([name]) => name !== "");
  const filters = [
    ...(period === "" ? [] : [[period, to({ period: "" })]]),
    ...(kind === "" ? [] : [[kind, to({ kind: "" })]]),
  ];
  if (steps.length + filters.length === 1) return "";
  return html`<nav class="trail" aria-label="Part of the map">
    ${steps.map(([name, href]) => html`<a href="${href}">${name}</a>`)}
    ${filters.map(([name, href]) => html`<a href="${href}" title="show all again">${name} ×</a>`)}
  </nav>`;
}

function namesOf(
  { memory }: DashboardDeps,
  all: readonly Whereabouts[],
  scope: MapScope,
): MapNames {
  const { reads } = memory.store;
  return {
    session: (id) => {
      const found = reads.find(id, { collection: collections.session });
      const title = found.ok ? found.value.fields["title"] : undefined;
      return typeof title === "string" && title !== "" ? title : id;
    },
    title: ({ namespace, id }) => reads.observation(namespace, id)?.title ?? id,
    to: (part) => {
      const next = { ...scope, skip: 0, ...part };
      const isOnly = next.project === onlyProject(all);
      const query = new URLSearchParams(
        Object.entries({
          project: isOnly ? "" : next.project,
          path: next.path,
          period: next.period,
          kind: next.kind,
          skip: next.skip === 0 ? "" : String(next.skip),
        }).filter(([, value]) => value !== ""),
      ).toString();
      return query === "" ? "/map" : `/map?${query}`;
    },
  };
}
