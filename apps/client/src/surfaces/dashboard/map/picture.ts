import { html } from "hono/html";
import type { Markup } from "../layout.ts";
import { counted } from "../words.ts";
import type { MapColumn, MapFlow, MapLayers, MapNode } from "./layers.ts";

/** How a picture is laid out: one for wide screens, one for a telephone. */
export interface Frame {
  readonly name: "wide" | "narrow";
  readonly width: number;
  /** Left edges of the three columns of bars. */
  readonly edges: readonly [number, number, number];
  readonly barWidth: number;
  /** Characters of a label in each column. */
  readonly chars: readonly [number, number, number];
  /** Height of a line of text, which no bar's place is lower than. */
  readonly lineHeight: number;
  /** Height that all observations together take. */
  readonly stackHeight: number;
}

export const wideFrame: Frame = {
  name: "wide",
  width: 992,
  edges: [0, 400, 984],
  barWidth: 8,
  chars: [44, 48, 34],
  lineHeight: 24,
  stackHeight: 420,
};

export const narrowFrame: Frame = {
  name: "narrow",
  width: 328,
  edges: [0, 116, 322],
  barWidth: 6,
  chars: [14, 12, 12],
  lineHeight: 24,
  stackHeight: 300,
};

const short = new Intl.NumberFormat("en", { notation: "compact" });
const headHeight = 28;
/** No observation is drawn higher, however few there are. */
const singleHeight = 40;
const barHeightMin = 2;

interface Box {
  readonly node: MapNode;
  readonly x: number;
  /** Top and height of the bar. */
  readonly y: number;
  readonly height: number;
  readonly chars: number;
}

/** The map as a drawing whose every thing is a link and a text (DA9). */
export function picture(layers: MapLayers, frame: Frame, label: string): Markup {
  const total = Math.max(
    ...layers.columns.map(({ nodes }) => nodes.reduce((sum, { weight }) => sum + weight, 0)),
  );
  const scale = total === 0 ? 0 : Math.min(frame.stackHeight / total, singleHeight);
  const stacks = layers.columns.map((column, place) => stacked(column, frame, { place, scale }));
  const height = Math.max(...stacks.map(({ end }) => end));
  const ribbons = layers.flows.flatMap((flows, place) =>
    ribbonsOf(flows, [stacks[place]?.boxes ?? [], stacks[place + 1]?.boxes ?? []], {
      barWidth: frame.barWidth,
      scale,
    }),
  );
  return html`<svg
    class="map ${frame.name}"
    role="group"
    aria-label="${label}"
    viewBox="0 0 ${frame.width} ${height}"
  >
    <g class="ribbons" aria-hidden="true">${ribbons}</g>
    ${stacks.map(({ boxes, title }, place) => column(boxes, { title, place, frame }))}
  </svg>`;
}

function stacked(
  { title, nodes }: MapColumn,
  { edges, chars, lineHeight }: Frame,
  { place, scale }: { readonly place: number; readonly scale: number },
): { readonly title: string; readonly boxes: readonly Box[]; readonly end: number } {
  let top = headHeight;
  const boxes = nodes.map((node): Box => {
    const height = Math.max(barHeightMin, node.weight * scale);
    const room = Math.max(lineHeight, height + 4);
    const y = top + (room - height) / 2;
    top += room;
    return { node, x: edges[place] ?? 0, y, height, chars: chars[place] ?? 0 };
  });
  return { title, boxes, end: top };
}

function ribbonsOf(
  flows: readonly MapFlow[],
  [left, right]: readonly [readonly Box[], readonly Box[]],
  { barWidth, scale }: { readonly barWidth: number; readonly scale: number },
): readonly Markup[] {
  const from = new Map(left.map((box, order) => [box.node.key, { box, order, taken: 0 }]));
  const to = new Map(right.map((box, order) => [box.node.key, { box, order, taken: 0 }]));
  const ends = flows.flatMap((flow) => {
    const start = from.get(flow.from);
    const end = to.get(flow.to);
    return start === undefined || end === undefined ? [] : [{ flow, start, end }];
  });
  // In the order of both columns, so that ribbons of one bar do not cross each other.
  const ordered = ends.toSorted(
    (one, other) => one.start.order - other.start.order || one.end.order - other.end.order,
  );
  return ordered.map(({ flow, start, end }) => {
    const width = flow.weight * scale;
    const y1 = start.box.y + start.taken + width / 2;
    const y2 = end.box.y + end.taken + width / 2;
    start.taken += width;
    end.taken += width;
    const [x1, x2] = [start.box.x + barWidth, end.box.x];
    const middle = (x1 + x2) / 2;
    const d = `M${x1} ${round(y1)}C${middle} ${round(y1)} ${middle} ${round(y2)} ${x2} ${round(y2)}`;
    return html`<path d="${d}" stroke-width="${round(Math.max(0.5, width))}"></path>`;
  });
}

interface Place {
  readonly title: string;
  readonly place: number;
  readonly frame: Frame;
}

function column(boxes: readonly Box[], { title, place, frame }: Place): Markup {
  const isLast = place === 2;
  const anchor = isLast ? "end" : "start";
  const x = isLast ? frame.width : (frame.edges[place] ?? 0);
  return html`<g class="column">
    <text class="head" x="${x}" y="14" text-anchor="${anchor}">${title}</text>
    ${boxes.map((box) => thing(box, { isLast, barWidth: frame.barWidth }))}
  </g>`;
}

function thing(box: Box, { isLast, barWidth }: { isLast: boolean; barWidth: number }): Markup {
  const { node, x, y, height, chars } = box;
  const textX = isLast ? x - 6 : x + barWidth + 6;
  const anchor = isLast ? "end" : "start";
  const count = short.format(node.count);
  const drawn = html`<title>${node.label}: ${counted(node.count, "observation")}</title>
    <rect x="${x}" y="${round(y)}" width="${barWidth}" height="${round(height)}" rx="1"></rect>
    <text x="${textX}" y="${round(y + height / 2 + 4)}" text-anchor="${anchor}">
      ${cut(node.label, chars - count.length - 1)}
      <tspan class="count">${count}</tspan>
    </text>`;
  return node.href === undefined
    ? html`<g>${drawn}</g>`
    : html`<a href="${node.href}">${drawn}</a>`;
}

/** A name cut to so many characters: of a path its end says most, of a sentence its beginning. */
function cut(label: string, chars: number): string {
  if (label.length <= chars) return label;
  return label.includes("/") && !label.includes(" ")
    ? `…${label.slice(1 - chars)}`
    : `${label.slice(0, chars - 1)}…`;
}

function round(value: number): string {
  return value.toFixed(1);
}
