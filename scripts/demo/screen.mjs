import { createColours, wantsColour, widthOf } from "./colours.mjs";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 90;
/** Without a terminal, a line of progress at most so often. */
const plainMs = 5_000;
/** Where the durations end. */
export const columns = 78;

/**
 * What the demo shows: one block a step, its time at the right, and a moving line while it works.
 * Without a terminal the same blocks come out as plain lines.
 */
export function createScreen({ stream, env, nowMs }) {
  const colours = createColours(wantsColour(env, stream));
  const isLive = stream.isTTY === true && env.TERM !== "dumb" && (env.CI ?? "") === "";
  const write = (text) => stream.write(text);
  const line = (text = "") => write(`${text}\n`);
  let live;

  function clear() {
    if (isLive && live !== undefined) write("\r\u001B[2K");
  }

  function draw() {
    if (!isLive || live === undefined) return;
    live.frame = (live.frame + 1) % frames.length;
    const room = Math.max(20, Math.min(stream.columns ?? 80, 100)) - 1;
    const note = live.note === "" ? "" : `  ${live.note}`;
    const text = `  ${frames[live.frame]} ${live.title}${note}`.slice(0, room);
    write(`\r\u001B[2K${colours.quiet(text)}`);
  }

  return {
    colours,
    line,
    /** Begins a step: from now on a line moves until {@link done} or {@link failed}. */
    begin(title) {
      live = { title, note: "", frame: 0, startMs: nowMs(), saidMs: nowMs() };
      if (isLive) live.timer = setInterval(draw, frameMs);
      draw();
    },
    /** Says how far the step is. */
    progress(note) {
      if (live === undefined) return;
      live.note = note;
      if (isLive || nowMs() - live.saidMs < plainMs) return;
      live.saidMs = nowMs();
      line(colours.quiet(`  · ${live.title}: ${note}`));
    },
    /** Ends a step that kept its promise. */
    done(title, facts) {
      const ms = end();
      const head = `  ${colours.good("✓")} ${colours.strong(title)}`;
      line(withRight(head, colours.quiet(duration(ms))));
      for (const fact of facts) line(`      ${fact}`);
      line();
      return ms;
    },
    /** Ends a step that did not. */
    failed(title) {
      if (live === undefined) return;
      const ms = end();
      line(
        withRight(`  ${colours.bad("✗")} ${colours.strong(title)}`, colours.quiet(duration(ms))),
      );
    },
    /** What is being done now. */
    title: () => live?.title ?? "",
    /** Removes the moving line without a word. */
    quiet() {
      if (live !== undefined) end();
    },
  };

  function end() {
    const ms = live === undefined ? 0 : nowMs() - live.startMs;
    clear();
    clearInterval(live?.timer);
    live = undefined;
    return ms;
  }
}

/** A duration as people say it: `0.4 s`. */
export function duration(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Bytes as people say them. */
export function bytesText(bytes) {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${Math.round(bytes / 1e6)} MB`;
}

/** Two texts at both ends of the line. */
function withRight(left, right) {
  return left + " ".repeat(Math.max(2, columns - widthOf(left) - widthOf(right))) + right;
}

/** A text that fits, with an ellipsis where it did not. */
export function clipped(text, chars) {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= chars ? line : `${line.slice(0, chars - 1).trimEnd()}…`;
}
