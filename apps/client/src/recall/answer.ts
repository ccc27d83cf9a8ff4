import { base32 } from "@tidemark/protocol";
import type { Observation } from "../store/observation.ts";
import { fenceLine, fenceText } from "./fence.ts";
import { heldWhy } from "./held.ts";

/** What an agent that asked for memory is handed. */
export interface Answer {
  /** Fenced, for a model to read. */
  readonly text: string;
  /** The same lines as objects, for a program. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Not handed out because they read like orders to agents (RC19). */
  readonly held: number;
  /** Not handed out because the answer would be too long. */
  readonly tooLong: number;
}

/** Below this trust nothing is handed to an agent, even if it asks. */
const askedTrustMin = 1;

/** Characters of one observation that was asked for by its id. */
const wholeCharsMax = 20_000;

/** Characters of a whole answer: a host cuts longer ones where it likes. */
const answerCharsMax = 60_000;

/**
 * Fences what an agent asked for (RC5): labelled with author, trust and origin like what it is given
 * unasked, and left out where the trust is zero or the words are meant for the agent itself (RC19):
 * an agent that asks does not know what it asks for.
 */
export function answerWith(
  deps: {
    readonly clock: { nowMs(): number };
    readonly random: { bytes(count: number): Uint8Array };
    readonly scrub: (text: string) => string;
  },
  observations: readonly Observation[],
  options: { readonly isWhole: boolean; readonly footer?: string },
): Answer {
  const boundary = base32(deps.random.bytes(12));
  const frame = { boundary, nowMs: deps.clock.nowMs(), scrub: deps.scrub };
  const size = options.isWhole ? { charsMax: wholeCharsMax } : {};
  const lines: string[] = [];
  let chars = 0;
  let held = 0;
  let tooLong = 0;
  for (const observation of observations) {
    if (observation.trust < askedTrustMin) continue;
    const item = { observation, factsOnly: false, ...size };
    const line = fenceLine(item, frame);
    if (line.includes(boundary)) continue;
    if (chars + line.length > answerCharsMax) {
      tooLong += 1;
      continue;
    }
    if (heldWhy(item) !== undefined) {
      held += 1;
      continue;
    }
    chars += line.length;
    lines.push(line);
  }
  const items = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const footer = [
    options.footer ?? "",
    held === 0 ? "" : heldFooter(held),
    tooLong === 0 ? "" : tooLongFooter(tooLong),
  ];
  const text = fenceText(lines, footer.filter((part) => part !== "").join(" · "), boundary);
  return { text, items, held, tooLong };
}

function heldFooter(held: number): string {
  return `${held} held back for a person to look at: tidemark show <id>`;
}

function tooLongFooter(count: number): string {
  return `${count} left out, as the answer would be too long: ask for fewer at once`;
}
