import { duration, columns } from "./screen.mjs";

/** The table at the end: what was shown, and how long each part took. */
export function summaryLines(results, { good, quiet, strong }) {
  const titleWidth = Math.max(...results.map(({ short }) => short.length));
  const totalMs = results.reduce((sum, { ms }) => sum + ms, 0);
  const row = (mark, name, outcome, ms) => {
    const left = `  ${mark} ${name.padEnd(titleWidth)}   ${outcome}`;
    return { left, right: duration(ms) };
  };
  const rows = results.map(({ short, summary, ms }) => row("✓", short, summary, ms));
  const laidOut = rows.map(({ left, right }) => left + right.padStart(columns - left.length));
  return [
    quiet(`  ${"─".repeat(columns - 2)}`),
    ...laidOut.map((line) => line.replace("✓", good("✓"))),
    quiet(`  ${"─".repeat(columns - 2)}`),
    strong(`    Every claim held`) + quiet(duration(totalMs).padStart(columns - 20)),
    "",
  ];
}
