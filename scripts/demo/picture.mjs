// Draws docs/demo.svg from a real run: `npm run demo:picture` runs the demo, with colours,
// and draws what it printed. Nothing is drawn that the demo did not print in that run.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const demo = fileURLToPath(new URL("main.mjs", import.meta.url));
const target = fileURLToPath(new URL("../../docs/demo.svg", import.meta.url));
const command = "npm run demo";

const charWidth = 8.4;
const lineHeight = 20;
const padding = 20;
const barHeight = 36;

/** Colours that read well in a window of their own, whatever page it stands on. */
const theme = {
  ground: "#1c2128",
  edge: "#373e47",
  text: "#d0d7de",
  strong: "#f0f3f6",
  quiet: "#8b949e",
  good: "#57ab5a",
  bad: "#e5534b",
  accent: "#6cb6ff",
};
const classByCode = { 1: "strong", 2: "quiet", 31: "bad", 32: "good", 36: "accent" };

const run = spawnSync(process.execPath, [demo], {
  env: { ...process.env, FORCE_COLOR: "1", NO_COLOR: "" },
  encoding: "utf8",
});
if (run.status !== 0) {
  process.stderr.write(`${run.stdout}${run.stderr}error: the demo failed; nothing was drawn\n`);
  process.exit(1);
}
writeFileSync(target, draw(linesOf(run.stdout)));
process.stdout.write(`docs/demo.svg shows the run that just ended.\n`);

function linesOf(text) {
  const lines = text.replace(/\n+$/, "").split("\n");
  // Progress told to somebody without a terminal is no part of the picture.
  const told = lines.filter((line) => !line.includes("  · "));
  return [`\u001B[32m$\u001B[0m \u001B[1m${command}\u001B[0m`, ...told];
}

function draw(lines) {
  const chars = Math.max(...lines.map((line) => plain(line).length));
  const width = Math.ceil(chars * charWidth + 2 * padding);
  const height = barHeight + lines.length * lineHeight + padding;
  const rows = lines.map((line, index) => row(line, barHeight + (index + 1) * lineHeight - 5));
  const dots = ["#ec6a5e", "#f4bf4f", "#61c554"].map(
    (colour, index) => `<circle cx="${20 + index * 20}" cy="18" r="6" fill="${colour}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">A run of npm run demo: each step with what it checked and how long it took</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; fill: ${theme.text}; white-space: pre; }
.strong { fill: ${theme.strong}; font-weight: 600; }
.quiet { fill: ${theme.quiet}; }
.good { fill: ${theme.good}; }
.bad { fill: ${theme.bad}; }
.accent { fill: ${theme.accent}; }
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${theme.ground}" stroke="${theme.edge}"/>
${dots.join("")}
${rows.filter((text) => text !== "").join("\n")}
</svg>
`;
}

function row(line, y) {
  const spans = spansOf(line);
  const texts = spans.map(({ text, column, kind }) => {
    const x = (padding + column * charWidth).toFixed(1);
    const length = (text.length * charWidth).toFixed(1);
    const look = kind === undefined ? "" : ` class="${kind}"`;
    // A given length keeps columns straight in whatever font the reader has.
    return `<tspan x="${x}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${look}>${escaped(text)}</tspan>`;
  });
  return texts.length === 0 ? "" : `<text y="${y}" xml:space="preserve">${texts.join("")}</text>`;
}

/** Stretches of one look, without the blanks around them. */
function spansOf(line) {
  const spans = [];
  let column = 0;
  let kind;
  // oxlint-disable-next-line no-control-regex -- escape sequences are control characters
  for (const part of line.split(/(\u001B\[\d+m)/)) {
    const code = /\[(\d+)m$/.exec(part)?.[1];
    if (part.startsWith("\u001B") && code !== undefined) {
      kind = classByCode[code];
      continue;
    }
    for (const { 0: text, index } of part.matchAll(/\S+(?: \S+)*/g)) {
      spans.push({ text, column: column + index, kind });
    }
    column += part.length;
  }
  return spans;
}

function plain(line) {
  // oxlint-disable-next-line no-control-regex -- escape sequences are control characters
  return line.replaceAll(/\u001B\[\d+m/g, "");
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
