/** The one file of design tokens and rules of the dashboard's look. */
export const styleText = `
:root {
  color-scheme: light dark;
  --paper: oklch(0.99 0.002 250); --ink: oklch(0.24 0.01 250); --quiet: oklch(0.48 0.012 250);
  --line: oklch(0.9 0.005 250); --raised: oklch(0.965 0.004 250); --accent: oklch(0.5 0.11 230);
  --on-accent: oklch(0.99 0 0); --warn: oklch(0.48 0.12 50);
  --font: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: oklch(0.19 0.008 250); --ink: oklch(0.93 0.005 250); --quiet: oklch(0.7 0.01 250);
    --line: oklch(0.31 0.01 250); --raised: oklch(0.235 0.009 250); --accent: oklch(0.78 0.1 230);
    --on-accent: oklch(0.18 0.02 250); --warn: oklch(0.8 0.11 70);
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/24px var(--font); }
a { color: var(--accent); text-decoration: none; }
p a { text-decoration: underline; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.bar { border-bottom: 1px solid var(--line); }
.bar > div, main { max-width: 1024px; margin: 0 auto; padding: 0 16px; }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; column-gap: 24px; min-height: 56px; }
.name { font-weight: 650; letter-spacing: -0.01em; color: var(--ink); padding: 12px 0; }
nav { display: flex; flex-wrap: wrap; gap: 0 clamp(10px, 2vw, 20px); }
@media (max-width: 480px) { nav { font-size: 14px; gap: 0 12px; } }
nav a { color: var(--quiet); padding: 8px 0; }
nav a[aria-current] { color: var(--ink); box-shadow: inset 0 -2px var(--accent); }
main { padding-top: 24px; padding-bottom: 64px; }
h1 { font-size: 28px; line-height: 36px; letter-spacing: -0.02em; font-weight: 650; margin: 8px 0 24px; overflow-wrap: anywhere; }
h2 { font-size: 16px; line-height: 24px; font-weight: 650; margin: 40px 0 8px; }
ul.rows { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
ul.rows li { padding: 12px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.meta, .empty, .when { color: var(--quiet); font-size: 14px; line-height: 20px; margin: 0; }
.row { display: block; }
.warn { color: var(--warn); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 280px), 1fr)); gap: 16px; margin: 12px 0; }
.side { border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; display: flex; flex-direction: column; gap: 8px; }
.side button { align-self: start; margin-top: auto; }
pre { font: 14px/20px var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.prose { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 68ch; }
form.find { display: flex; flex-wrap: wrap; gap: 12px; align-items: end; margin-bottom: 24px; }
label { display: flex; flex-direction: column; font-size: 14px; line-height: 20px; color: var(--quiet); gap: 4px; }
label.words { flex: 1 1 240px; }
input, select, button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--quiet); border-radius: 6px; padding: 7px 12px; min-height: 40px; max-width: 100%; }
button { background: var(--accent); border-color: var(--accent); color: var(--on-accent); cursor: pointer; font-weight: 550; }
.side button { background: transparent; color: var(--accent); }
details summary { cursor: pointer; color: var(--quiet); font-size: 14px; }
details pre { background: var(--raised); border-radius: 8px; padding: 12px; margin-top: 8px; max-height: 400px; overflow: auto; }
.trail { gap: 4px 16px; margin-bottom: 8px; }
svg.map { display: block; width: 100%; height: auto; margin-top: 16px; overflow: visible; }
svg.map.narrow { display: none; }
@media (max-width: 700px) { svg.map.wide { display: none; } svg.map.narrow { display: block; } }
svg.map text { font-size: 13px; fill: var(--ink); stroke: var(--paper); stroke-width: 3px; paint-order: stroke; }
svg.map.narrow text { font-size: 12px; }
@media (min-width: 1600px) { body:has(svg.map) .bar > div, main:has(svg.map) { max-width: 1312px; } }
svg.map .head { font-weight: 650; font-size: 12px; fill: var(--quiet); }
svg.map .count { fill: var(--quiet); font-variant-numeric: tabular-nums; }
svg.map rect { fill: var(--accent); }
svg.map .ribbons path { fill: none; stroke: var(--accent); opacity: 0.16; }
svg.map a:hover text, svg.map a:focus-visible text { text-decoration: underline; }
svg.budget { display: block; width: 100%; height: 12px; margin: 8px 0; }
.budget .room { fill: var(--raised); } .budget .part { fill: var(--accent); } .budget .frame { fill: var(--quiet); }
.next { margin-top: 24px; display: flex; gap: 24px; }
`;
