/** How pages look; docs/design.md says why. */
export const style = `
:root {
  color-scheme: light;
  --paper: #fbfaf6; --panel: #ffffff; --sunk: #f3f1ea; --line: #dedacf; --line-strong: #c3bdae;
  --ink: #1c2024; --soft: #474d52; --faint: #646a6d;
  --accent: #0b5f63; --accent-ink: #ffffff; --accent-wash: #e2efee;
  --good: #1f6b3a; --good-wash: #e3f0e6; --warn: #8a4b00; --warn-wash: #faecd8;
  --danger: #9c2a1c; --danger-wash: #f9e6e2;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --sans: "Inter", ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif;
  --serif: "Iowan Old Style", "Charter", "Source Serif 4", "Palatino Linotype", Georgia, "Gelasio", "Liberation Serif", serif;
  --s1: .25rem; --s2: .5rem; --s3: .75rem; --s4: 1rem; --s5: 1.5rem; --s6: 2.25rem; --s7: 3.5rem;
  --radius: 10px;
}
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) {
  color-scheme: dark;
  --paper: #14171a; --panel: #1b1f23; --sunk: #101315; --line: #2d3338; --line-strong: #465058;
  --ink: #e9e7e1; --soft: #c0c2c0; --faint: #989fa2;
  --accent: #6fc7c0; --accent-ink: #08201f; --accent-wash: #17302f;
  --good: #86cf9c; --good-wash: #16291c; --warn: #e9b571; --warn-wash: #33260f;
  --danger: #f29a8c; --danger-wash: #371b17;
} }
:root[data-theme="dark"] {
  color-scheme: dark;
  --paper: #14171a; --panel: #1b1f23; --sunk: #101315; --line: #2d3338; --line-strong: #465058;
  --ink: #e9e7e1; --soft: #c0c2c0; --faint: #989fa2;
  --accent: #6fc7c0; --accent-ink: #08201f; --accent-wash: #17302f;
  --good: #86cf9c; --good-wash: #16291c; --warn: #e9b571; --warn-wash: #33260f;
  --danger: #f29a8c; --danger-wash: #371b17;
}
*, *::before, *::after { box-sizing: border-box; }
html { font-size: 16px; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 400 .9375rem/1.55 var(--sans); font-feature-settings: "cv11", "ss03"; }
h1, h2, h3, p, dl, dd, figure, table { margin: 0; }
h1, .empty-title, .brand span { font-family: var(--serif); font-weight: 600; letter-spacing: -.012em; }
h1 { font-size: 2rem; line-height: 1.18; overflow-wrap: anywhere; text-wrap: balance; }
h2 { font-size: 1.0625rem; line-height: 1.35; font-weight: 600; letter-spacing: -.005em; }
h3 { font-size: .9375rem; font-weight: 600; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px; text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); }
a:hover { text-decoration-color: currentColor; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
code, kbd, .mono { font-family: var(--mono); font-size: .8438rem; }
kbd { display: inline-block; min-width: 1.6em; padding: 0 .4em; text-align: center; border: 1px solid var(--line-strong); border-bottom-width: 2px; border-radius: 5px; background: var(--panel); }
.faint { color: var(--faint); }
.small { font-size: .8438rem; }
.skip { position: absolute; left: -99rem; top: var(--s2); background: var(--panel); padding: var(--s2) var(--s4); z-index: 9; }
.skip:focus { left: var(--s2); }

.frame { display: grid; grid-template-columns: 15rem minmax(0, 1fr); min-height: 100vh; max-width: 100rem; margin: 0 auto; }
.side { position: sticky; top: 0; align-self: start; height: 100vh; display: flex; flex-direction: column; gap: var(--s5); padding: var(--s6) var(--s4) var(--s5) var(--s5); overflow-y: auto; }
.brand { display: flex; align-items: center; gap: .6rem; color: var(--ink); text-decoration: none; font-size: 1.25rem; }
.mark { width: 1.75rem; height: 1.75rem; fill: none; stroke: var(--accent); stroke-width: 2.4; stroke-linecap: round; }
.mark .low { opacity: .45; }
.mark .line { stroke: var(--ink); }
nav { display: flex; flex-direction: column; gap: 1px; }
nav a { position: relative; padding: .42rem .75rem; border-radius: 7px; color: var(--soft); text-decoration: none; font-weight: 500; }
nav a:hover { background: var(--sunk); color: var(--ink); }
nav a.here { color: var(--ink); background: var(--sunk); }
nav a.here::before { content: ""; position: absolute; left: -2px; top: .55rem; bottom: .55rem; width: 3px; border-radius: 2px; background: var(--accent); }
.who { margin-top: auto; padding-top: var(--s4); border-top: 1px solid var(--line); font-size: .875rem; }
.who p { display: flex; flex-direction: column; font-weight: 600; overflow-wrap: anywhere; }
.who p .faint { font-weight: 400; font-size: .8125rem; }
.who-acts { display: flex; flex-wrap: wrap; gap: .15rem; margin: var(--s2) 0 0 -.5rem; }
main { padding: var(--s6) clamp(1rem, 4vw, 4rem) var(--s7); max-width: 78rem; width: 100%; }
.page-head { margin-bottom: var(--s6); max-width: 46rem; }
.lede { margin-top: var(--s2); color: var(--soft); font-size: 1rem; text-wrap: pretty; }
.said { margin-bottom: var(--s5); padding: .65rem 1rem; border-left: 3px solid var(--accent); background: var(--accent-wash); border-radius: 0 8px 8px 0; }
.part { margin-bottom: var(--s6); }
.part > header { display: flex; flex-wrap: wrap; gap: 0 var(--s4); align-items: baseline; justify-content: space-between; margin-bottom: var(--s3); padding-bottom: var(--s2); border-bottom: 1px solid var(--line); }

button, .button { font: 600 .875rem/1.2 var(--sans); padding: .55rem .95rem; border-radius: 7px; border: 1px solid var(--line-strong); background: var(--panel); color: var(--ink); cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, .button:hover { border-color: var(--ink); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
button.main:hover { filter: brightness(1.08); }
button.danger { color: var(--danger); border-color: var(--danger); background: transparent; }
button.danger:hover { background: var(--danger-wash); }
button.quiet { border-color: transparent; background: transparent; color: var(--faint); padding: .35rem .5rem; font-weight: 500; font-size: .8125rem; }
button.quiet:hover { color: var(--ink); background: var(--sunk); }
input, select { font: 400 .9375rem/1.3 var(--sans); color: var(--ink); background: var(--panel); border: 1px solid var(--line-strong); border-radius: 7px; padding: .52rem .7rem; min-width: 0; }
input::placeholder { color: var(--faint); opacity: 1; }
label { font-weight: 600; font-size: .875rem; }
.field { display: flex; flex-direction: column; gap: .35rem; }
.inline { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: center; }
.code-input { font-family: var(--mono); font-size: 1.375rem; letter-spacing: .12em; text-transform: uppercase; width: 15rem; max-width: 100%; }
.hint { color: var(--faint); font-size: .8438rem; max-width: 42rem; }

.badge { display: inline-block; padding: .08rem .5rem; border-radius: 99px; font-size: .75rem; font-weight: 600; line-height: 1.5; background: var(--sunk); color: var(--soft); border: 1px solid var(--line); white-space: nowrap; }
.badge.good { background: var(--good-wash); color: var(--good); border-color: transparent; }
.badge.warn { background: var(--warn-wash); color: var(--warn); border-color: transparent; }
.badge.accent { background: var(--accent-wash); color: var(--accent); border-color: transparent; }
.facts > div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: var(--s4); padding: .42rem 0; border-bottom: 1px solid var(--line); }
.facts > div:last-child { border-bottom: 0; }
.facts dt { color: var(--faint); }
.facts dd { overflow-wrap: anywhere; }
.panel .facts > div { grid-template-columns: 5.5rem minmax(0, 1fr); gap: var(--s3); }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: var(--radius); padding: var(--s5); }
.grid { display: grid; gap: var(--s5); grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr)); border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); margin-bottom: var(--s6); }
.tile { padding: var(--s4) var(--s4) var(--s4) 0; display: flex; flex-direction: column; color: inherit; text-decoration: none; }
.tile b { font: 600 2rem/1.15 var(--serif); letter-spacing: -.02em; font-variant-numeric: tabular-nums lining-nums; }
.tile:hover b { color: var(--accent); }

table.rows { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
table.rows th { text-align: left; font-weight: 500; font-size: .8125rem; color: var(--faint); padding: 0 var(--s4) .45rem 0; border-bottom: 1px solid var(--line-strong); }
table.rows td { padding: .68rem var(--s4) .68rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: break-word; }
table.rows td:first-child { overflow-wrap: anywhere; }
table.rows .badge { justify-self: start; align-self: start; }
.nowrap { white-space: nowrap; }
table.rows .number { text-align: right; padding-right: var(--s4); }
table.rows td:last-child, table.rows th:last-child { padding-right: 0; }
.name { font-weight: 600; display: block; }
.stack { display: flex; flex-direction: column; gap: .1rem; }

.act { position: relative; }
.act > summary { cursor: pointer; color: var(--danger); font-weight: 500; list-style: none; width: fit-content; }
.act > summary::-webkit-details-marker { display: none; }
.act > summary:hover { text-decoration: underline; }
.act-box { margin-top: var(--s2); padding: var(--s3) var(--s4); background: var(--danger-wash); border-radius: 8px; display: flex; flex-direction: column; gap: var(--s3); align-items: flex-start; max-width: 26rem; min-width: min(100%, 15rem); }
.plot + table.rows { margin-top: var(--s4); }
.more > summary::-webkit-details-marker { display: none; }
.more > summary:hover { text-decoration: underline; }
.more > summary { list-style: none; cursor: pointer; color: var(--accent); width: fit-content; }
.more > form { margin-top: var(--s2); }
.run { display: inline-flex; align-items: center; gap: .25rem; max-width: 100%; background: var(--sunk); border: 1px solid var(--line); border-radius: 7px; padding: .12rem .2rem .12rem .6rem; }
.run code { overflow-wrap: anywhere; min-width: 0; }
.run button { flex: none; }
.empty { padding: var(--s6) var(--s5); text-align: center; border: 1px dashed var(--line-strong); border-radius: var(--radius); color: var(--soft); }
.empty-title { font-size: 1.1875rem; color: var(--ink); margin-bottom: var(--s2); }
.empty-more { display: flex; flex-direction: column; align-items: center; gap: var(--s3); max-width: 34rem; margin: 0 auto; }

.plot svg { width: 100%; height: auto; display: block; overflow: visible; }
.plot .bar { fill: var(--accent); }
.plot .bar.none { fill: var(--line-strong); }
.plot .grid { stroke: var(--line); stroke-dasharray: 2 4; }
.plot .axis { stroke: var(--line-strong); }
.plot .tick { fill: var(--faint); font: 400 11px var(--sans); }
.plot figcaption { color: var(--faint); font-size: .8438rem; margin-top: var(--s1); }
.meter { display: flex; flex-direction: column; gap: .3rem; }
.meter svg { width: 100%; max-width: 16rem; height: 6px; }
.meter .rail { fill: var(--line); }
.meter .fill { fill: var(--accent); }
.meter .fill.full { fill: var(--danger); }
.meter span { font-size: .8438rem; color: var(--faint); }

.search { display: flex; gap: var(--s2); margin-bottom: var(--s4); }
.search input { flex: 1; font-size: 1.0625rem; padding: .7rem .9rem; }
.tabs { display: flex; flex-wrap: wrap; gap: .35rem; margin-bottom: var(--s5); }
.tabs a { padding: .28rem .75rem; border-radius: 99px; border: 1px solid var(--line); color: var(--soft); text-decoration: none; font-size: .875rem; }
.tabs a:hover { border-color: var(--ink); }
.tabs a.here { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
.day { font-size: .8125rem; font-weight: 600; color: var(--faint); margin: var(--s5) 0 var(--s2); }
.entry { display: block; padding: .85rem 0; border-top: 1px solid var(--line); color: inherit; text-decoration: none; }
.part > header + .entry, .part > header + .change, .day + .entry { border-top: 0; }
.entry:hover .entry-title { color: var(--accent); }
.entry-title { font-size: 1.0313rem; font-weight: 600; line-height: 1.4; display: block; overflow-wrap: anywhere; }
.entry-text { color: var(--soft); display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; max-width: 62rem; }
.entry-foot { display: flex; flex-wrap: wrap; gap: .15rem .7rem; align-items: center; margin-top: .3rem; font-size: .8125rem; color: var(--faint); }
.prose { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 1.0313rem; line-height: 1.65; max-width: 44rem; }
.list { margin: 0; padding-left: 1.15rem; max-width: 44rem; overflow-wrap: anywhere; }
.list li { margin: .25rem 0; }
.chips { display: flex; flex-wrap: wrap; gap: .35rem; }
.two { display: grid; grid-template-columns: minmax(0, 1fr) 19rem; gap: var(--s6); align-items: start; }
.sides { display: grid; grid-template-columns: 1fr 1fr; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.sides > div { padding: var(--s4); background: var(--panel); min-width: 0; display: flex; flex-direction: column; gap: var(--s2); }
.sides > div + div { border-left: 1px solid var(--line); background: var(--sunk); }
.sides .value { white-space: pre-wrap; overflow-wrap: anywhere; flex: 1; }
.conflict { margin-bottom: var(--s6); }
.conflict > header { margin-bottom: var(--s2); }
.change { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: var(--s4); padding: .6rem 0; border-top: 1px solid var(--line); font-size: .9063rem; }
.change .was { overflow-wrap: anywhere; color: var(--soft); white-space: pre-wrap; display: -webkit-box; -webkit-line-clamp: 6; -webkit-box-orient: vertical; overflow: hidden; }
.pager { display: flex; gap: var(--s3); margin-top: var(--s5); align-items: center; flex-wrap: wrap; }
.warning { padding: .8rem 1rem; background: var(--warn-wash); color: var(--warn); border-radius: 8px; font-weight: 500; }
.danger-text { color: var(--danger); font-weight: 600; }

.keys { border: 1px solid var(--line-strong); border-radius: 14px; background: var(--panel); color: var(--ink); padding: var(--s5); width: min(26rem, 92vw); }
.keys::backdrop { background: rgb(0 0 0 / .45); }
.keys dl > div { display: flex; justify-content: space-between; padding: .32rem 0; border-bottom: 1px solid var(--line); }
.keys h2 { margin-bottom: var(--s3); }
.keys form { margin-top: var(--s4); text-align: right; }
.door { display: grid; place-items: center; min-height: 100vh; padding: var(--s4); }
.door main { max-width: 31rem; padding: var(--s6) clamp(1.25rem, 5vw, 2.5rem); background: var(--panel); border: 1px solid var(--line); border-radius: 16px; display: flex; flex-direction: column; gap: var(--s4); }
.door h1 { font-size: 1.625rem; }
.door p:not(.brand) { color: var(--soft); }

@media (max-width: 62rem) { .two { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 56rem) {
  .frame { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
  .side { position: static; height: auto; flex-flow: row wrap; align-items: center; gap: var(--s2) var(--s4); padding: var(--s3) var(--s4) 0; border-bottom: 1px solid var(--line); overflow: visible; }
  nav { order: 3; width: 100%; flex-direction: row; overflow-x: auto; gap: .15rem; margin: 0 calc(-1 * var(--s4)); padding: 0 var(--s4); width: calc(100% + 2 * var(--s4)); scrollbar-width: none; }
  nav a { white-space: nowrap; padding: .5rem .6rem .65rem; border-radius: 0; }
  nav a.here { background: transparent; }
  nav a.here::before { left: .6rem; right: .6rem; top: auto; bottom: 0; width: auto; height: 3px; }
  .who { margin: 0 0 0 auto; padding: 0; border: 0; display: flex; align-items: center; }
  .who p { display: none; }
  .who-acts { margin: 0; }
  main { padding-top: var(--s5); }
  h1 { font-size: 1.625rem; }
  .page-head { margin-bottom: var(--s5); }
}
@media (max-width: 44rem) {
  table.rows, table.rows tbody, table.rows tr, table.rows td { display: block; width: 100%; }
  table.rows thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table.rows tr { padding: .8rem 0; border-bottom: 1px solid var(--line); }
  table.rows td, table.rows .number { border: 0; padding: .12rem 0; text-align: left; display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: var(--s3); }
  table.rows td::before { content: attr(data-name); color: var(--faint); font-size: .8125rem; }
  table.rows td:first-child { display: block; }
  table.rows td:first-child::before { content: none; }
  table.rows td:empty { display: none; }
  .plot .tick { font-size: 20px; }
  .facts > div { grid-template-columns: 6.5rem minmax(0, 1fr); gap: var(--s3); }
  .sides { grid-template-columns: 1fr; }
  .sides > div + div { border-left: 0; border-top: 1px solid var(--line); }
  .change { grid-template-columns: 1fr; gap: .1rem; }
  .panel { padding: var(--s4); }
  .tiles { grid-template-columns: 1fr 1fr; }
}
@media (min-width: 120rem) { html { font-size: 18px; } }
@media (prefers-reduced-motion: no-preference) { a, button { transition: color .12s, background-color .12s, border-color .12s; } }
@media print { .side, .act, .skip { display: none; } .frame { display: block; } }
`;
