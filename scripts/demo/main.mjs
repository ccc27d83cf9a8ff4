// Shows on this machine what Tidemark promises, with the real programs, and checks each promise.
// Exit code 0: every claim held. 1: one did not, and the last lines say which.
import { existsSync } from "node:fs";
import { capture } from "./acts/capture.mjs";
import { meet } from "./acts/meet.mjs";
import { pair } from "./acts/pair.mjs";
import { part } from "./acts/part.mjs";
import { searchSecrets } from "./acts/search-secrets.mjs";
import { serve } from "./acts/serve.mjs";
import { team } from "./acts/team.mjs";
import { travel } from "./acts/travel.mjs";
import { BrokenClaim } from "./claim.mjs";
import { explore } from "./explore.mjs";
import { clientProgram, serverProgram } from "./programs.mjs";
import { createScreen } from "./screen.mjs";
import { createStage } from "./stage.mjs";
import { summaryLines } from "./summary.mjs";

const acts = [serve, pair, capture, travel, part, meet, team, searchSecrets];
const stopped = new Error("somebody asked the demo to stop");
const isKept = process.argv.includes("--keep");
const screen = createScreen({
  stream: process.stdout,
  env: process.env,
  nowMs: () => performance.now(),
});

// A reader that left, such as `head`, must not keep the end from being tidy.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exit(await main());

async function main() {
  const { bad, quiet, strong } = screen.colours;
  for (const program of [clientProgram, serverProgram]) {
    if (existsSync(program)) continue;
    process.stderr.write(`error: ${program} is not built\nhint: npm run demo builds it\n`);
    return 1;
  }
  const stage = createStage();
  const stop = stopRequest();
  stop.catch(() => {});
  try {
    screen.line();
    screen.line(`  ${strong("Tidemark")}`);
    screen.line(
      quiet("  Two laptops, a team-mate and a server: real programs, on this machine alone."),
    );
    screen.line();
    const world = { stage };
    const results = await Promise.race([play(world), stop]);
    for (const line of summaryLines(results, screen.colours)) screen.line(line);
    if (isKept) {
      for (const line of explore(world, screen.colours)) screen.line(line);
      await stop.catch(() => {});
    }
    return 0;
  } catch (cause) {
    if (cause === stopped) {
      screen.quiet();
      return 130;
    }
    screen.failed(screen.title());
    const isClaim = cause instanceof BrokenClaim;
    const reason = isClaim ? `not true: ${cause.message}` : String(cause?.stack ?? cause);
    process.stderr.write(`\n${bad("error:")} ${reason}\n`);
    if (isClaim && cause.facts !== "") process.stderr.write(`${indented(cause.facts)}\n`);
    process.stderr.write("hint: this is a fault; please report it with the lines above\n");
    return 1;
  } finally {
    await stage.close();
  }
}

async function play(world) {
  const results = [];
  for (const act of acts) {
    screen.begin(act.title);
    const { facts, summary } = await act.run(world, { screen });
    results.push({ short: act.short, summary, ms: screen.done(act.title, facts) });
  }
  return results;
}

/** Rejects with {@link stopped} once somebody asks the demo to stop; the third time ends it at once. */
function stopRequest() {
  let count = 0;
  return new Promise((_, reject) => {
    const ask = () => {
      count += 1;
      if (count > 2) process.exit(130);
      reject(stopped);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, ask);
  });
}

function indented(text) {
  const lines = text.split("\n").slice(0, 40);
  return lines.map((line) => `       ${line.slice(0, 400)}`).join("\n");
}
