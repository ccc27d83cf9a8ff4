import type { Finding, Hint } from "../finding.ts";
import { writePlaceholder } from "../placeholder.ts";
import type { ScrubbedResult, Scrubber } from "../scrubber.ts";
import {
  contextCharsMax,
  lookAroundCut,
  openPrivateStart,
  placeToCut,
  privateDepth,
  readTags,
  wholeLineCharsMax,
} from "./cut.ts";

/** How a stream is scrubbed. */
export interface StreamOptions {
  /** File that the text comes from. */
  readonly hint?: Pick<Hint, "path">;
  /** Told each finding, in order; `start` and `end` count from the beginning of the stream. */
  readonly onFinding?: (finding: Finding) => void;
  /**
   * Characters after which the stream is cut, from 1,024 to 1,048,576; 524,288 if absent. A text
   * that is no longer is scrubbed in one piece.
   */
  readonly stretchChars?: number;
}

/** A text that comes in pieces. */
export interface ScrubStream {
  /** Takes the next piece and gives what is ready, mostly nothing. */
  write(chunk: string): string;
  /** Gives the rest. */
  end(): string;
}

const stretchCharsDefault = 524_288;
const stretchCharsMin = 1024;
const stretchCharsMax = 1_048_576;

/** Most that is held back, in stretches. */
const stretchesMax = 8;

/** Longest beginning of a private tag that may hang over the end of a piece. */
const tagTailChars = "</private".length;

interface State {
  /** What has come in and not gone out. */
  held: string;
  /** Characters of the stream before {@link held}. */
  base: number;
  /** Where the next cut is tried, in {@link held}. */
  target: number;
  /** How many were tried in vain. */
  tried: number;
  /** An open private tag whose end is looked for from `at` on. */
  open: { readonly at: number; readonly depth: number } | undefined;
  /** A private tag so long that its end is waited for without holding it. */
  skipping: { readonly found: Finding; depth: number } | undefined;
}

interface Deps {
  readonly scrub: Scrubber["scrub"];
  readonly stretch: number;
  readonly onFinding: (finding: Finding) => void;
}

/**
 * Opens a stream of text without secrets: strings in, strings out, in memory that does not grow.
 *
 * The text is cut into stretches, and each is scrubbed as `scrub` does it. Where it is cut depends
 * on the text alone, so what comes out does not depend on how the stream came in pieces. A cut
 * lies at a line end, and only where the text around it reads the same in one piece and in two;
 * else it is moved on. A text of up to `stretchChars` is one stretch; so is what a `<private>` tag
 * or a key holds, up to eight. JSON stays JSON (SC8) line by line, for lines of up to 65,536
 * characters, and as a whole where it is one stretch.
 *
 * Beyond these limits nothing gets through that should not: of a longer private tag nothing is
 * kept, under a tag made of its first eight stretches, and eight stretches that can be cut nowhere
 * are withheld (SC5).
 *
 * @example
 * ```ts
 * const stream = createScrubStream(scrubber);
 * const web = new TransformStream<string, string>({
 *   transform: (chunk, out) => out.enqueue(stream.write(chunk)),
 *   flush: (out) => out.enqueue(stream.end()),
 * });
 * ```
 */
export function createScrubStream(scrubber: Scrubber, options: StreamOptions = {}): ScrubStream {
  const { hint = {}, onFinding = () => undefined, stretchChars = stretchCharsDefault } = options;
  const stretch = Math.floor(Math.min(Math.max(stretchChars, stretchCharsMin), stretchCharsMax));
  const deps: Deps = { scrub: (text) => scrubber.scrub(text, hint), stretch, onFinding };
  const state: State = {
    held: "",
    base: 0,
    target: stretch,
    tried: 0,
    open: undefined,
    skipping: undefined,
  };
  return {
    write: (chunk) => {
      state.held += chunk;
      return drain(deps, state, false);
    },
    end: () => drain(deps, state, true),
  };
}

/** Scrubs the pieces of a text as they come; see {@link createScrubStream}. */
export async function* scrubStream(
  scrubber: Scrubber,
  chunks: AsyncIterable<string> | Iterable<string>,
  options: StreamOptions = {},
): AsyncGenerator<string, void, void> {
  const stream = createScrubStream(scrubber, options);
  for await (const chunk of chunks) {
    const text = stream.write(chunk);
    if (text !== "") yield text;
  }
  const rest = stream.end();
  if (rest !== "") yield rest;
}

function drain(deps: Deps, state: State, isEnd: boolean): string {
  let out = "";
  for (;;) {
    if (state.skipping !== undefined && !skip(deps, state, isEnd)) return out;
    const text = step(deps, state, isEnd);
    if (text === undefined) return out;
    out += text;
  }
}

/** Gives the next stretch, "" after a cut that was tried in vain, nothing where more must come. */
function step(deps: Deps, state: State, isEnd: boolean): string | undefined {
  const { scrub, stretch } = deps;
  const { held } = state;
  if (state.open !== undefined && !findClosing(deps, state, isEnd)) return undefined;
  const { target } = state;
  const window = Math.min(stretch, wholeLineCharsMax);
  if (!isEnd && held.length < target + window + contextCharsMax + 2) return undefined;
  const cut = Math.min(held.length, placeToCut(held, target, window));
  if (cut === held.length) return held === "" ? undefined : take(deps, state, scrub(held));
  const isLast = target >= stretch * stretchesMax;
  const { isSafe, next } = lookAroundCut(scrub, held, cut);
  if (!isSafe && !isLast) return tryNext(deps, state, next);
  const text = held.slice(0, cut);
  const result = scrub(text);
  const openStart = openPrivateStart(text, result);
  if (openStart !== undefined) {
    const open = { at: cut, depth: privateDepth(text.slice(openStart)) };
    if (isLast) return takeOpen(deps, state, result, open);
    state.open = open;
    return "";
  }
  return take(deps, state, isSafe ? result : withhold(scrub, text), cut);
}

/** Goes on behind what lay across the cut, or ever farther. */
function tryNext({ stretch }: Deps, state: State, next: number | undefined): string {
  const farther = state.target + Math.max(64, Math.floor(stretch / 64)) * 2 ** state.tried;
  state.tried += 1;
  state.target = Math.min(Math.max(next ?? farther, state.target + 1), stretch * stretchesMax);
  return "";
}

/** Looks for the end of an open private tag; says whether it is known where to cut. */
function findClosing({ stretch }: Deps, state: State, isEnd: boolean): boolean {
  const { at, depth } = state.open as NonNullable<State["open"]>;
  const heldMax = stretch * stretchesMax;
  const tags = readTags(state.held, at, depth);
  if (tags.depth > 0 && !isEnd && state.held.length < heldMax + tagTailChars) {
    const seen = Math.max(tags.end, state.held.length - tagTailChars);
    state.open = { at: Math.max(at, seen), depth: tags.depth };
    return false;
  }
  state.open = undefined;
  state.target = tags.depth > 0 ? heldMax : Math.min(tags.end, heldMax);
  return true;
}

/** Gives a stretch that ends in an open private tag, and passes over the rest of that. */
function takeOpen(
  deps: Deps,
  state: State,
  result: ScrubbedResult,
  open: { readonly at: number; readonly depth: number },
): string {
  const found = result.findings.findLast(({ kind }) => kind === "private") as Finding;
  const { base } = state;
  state.skipping = {
    found: { ...found, start: found.start + base, end: found.end + base },
    depth: open.depth,
  };
  const findings = result.findings.filter((each) => each !== found);
  return take(deps, state, { text: result.text, findings }, open.at);
}

function take(
  { onFinding, stretch }: Deps,
  state: State,
  { text, findings }: ScrubbedResult,
  cut: number = state.held.length,
): string {
  const { base } = state;
  for (const found of findings) {
    const isInLeaf = found.path !== undefined;
    onFinding(isInLeaf ? found : { ...found, start: found.start + base, end: found.end + base });
  }
  state.held = state.held.slice(cut);
  state.base += cut;
  state.target = stretch;
  state.tried = 0;
  return text;
}

/** Passes over a private stretch; says whether it has ended. */
function skip(deps: Deps, state: State, isEnd: boolean): boolean {
  const skipping = state.skipping as NonNullable<State["skipping"]>;
  const { held } = state;
  const tags = readTags(held, 0, skipping.depth);
  let { end } = tags;
  skipping.depth = tags.depth;
  const isOver = skipping.depth === 0 || isEnd;
  if (skipping.depth > 0) {
    end = isEnd ? held.length : Math.max(end, held.length - tagTailChars);
  }
  state.held = held.slice(end);
  state.base += end;
  if (!isOver) return false;
  deps.onFinding({ ...skipping.found, end: state.base });
  state.skipping = undefined;
  return true;
}

/** A stub for a stretch that can be cut nowhere. Its tag is that of the stretch, made private. */
function withhold(scrub: Scrubber["scrub"], text: string): ScrubbedResult {
  const marked = scrub(`<private>${text.replaceAll(/<\/?private>/gi, "")}`);
  const found = marked.findings[0] as Finding;
  const tag = found.placeholderTag;
  const withheld = { ...found, kind: "withheld", ruleId: "withheld", start: 0, end: text.length };
  return { text: writePlaceholder("withheld", tag), findings: [withheld] };
}
