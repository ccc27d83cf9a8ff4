/** One line of a plot: milliseconds by size. */
export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [size: number, ms: number])[];
}

const width = 760;
const height = 420;
const left = 64;
const right = 190;
const top = 40;
const bottom = 48;
const colours = [
  "#0b7285",
  "#c92a2a",
  "#5f3dc4",
  "#2b8a3e",
  "#e67700",
  "#364fc7",
  "#a61e4d",
  "#868e96",
];

/** Draws curves on logarithmic axes as an SVG; what is bound by size alone would be a straight slope. */
export function plotSvg(title: string, curves: readonly Curve[]): string {
  const sizes = curves.flatMap(({ points }) => points.map(([size]) => size));
  const values = curves.flatMap(({ points }) => points.map(([, ms]) => ms));
  const x = axis(sizes, left, width - right);
  const y = axis(values, height - bottom, top);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="22" font-size="15">${title}</text>`,
    ...x.ticks.map((tick) => gridLine(x.at(tick), top, height - bottom, amount(tick))),
    ...y.ticks.map((tick) => shelfLine(y.at(tick), amount(tick))),
    `<text x="${left}" y="${height - 10}">records</text>`,
    `<text x="8" y="${top - 8}">ms</text>`,
    ...curves.map((curve, index) => curveParts(curve, index, { x: x.at, y: y.at })),
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

interface Axis {
  readonly ticks: readonly number[];
  readonly at: (value: number) => number;
}

function axis(values: readonly number[], from: number, to: number): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const at = (value: number): number =>
    from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  return { at, ticks: Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step)) };
}

function gridLine(x: number, from: number, to: number, label: string): string {
  return (
    `<line x1="${x}" y1="${from}" x2="${x}" y2="${to}" stroke="#e9ecef"/>` +
    `<text x="${x}" y="${to + 16}" text-anchor="middle">${label}</text>`
  );
}

function shelfLine(y: number, label: string): string {
  return (
    `<line x1="${left}" y1="${y}" x2="${width - right}" y2="${y}" stroke="#e9ecef"/>` +
    `<text x="${left - 6}" y="${y + 4}" text-anchor="end">${label}</text>`
  );
}

interface Place {
  readonly x: (size: number) => number;
  readonly y: (ms: number) => number;
}

function curveParts({ name, points }: Curve, index: number, place: Place): string {
  const colour = colours[index % colours.length] ?? "#000";
  const places = points.map(([size, ms]) => [place.x(size), place.y(ms)] as const);
  const path = places.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const dots = places.map(
    ([x, y]) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="${colour}"/>`,
  );
  const labelY = top + 8 + index * 18;
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...dots,
    `<circle cx="${width - right + 14}" cy="${labelY - 4}" r="4" fill="${colour}"/>`,
    `<text x="${width - right + 24}" y="${labelY}">${name}</text>`,
  ].join("\n");
}

function amount(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1000 ? `${value / 1000}k` : String(value);
}
