import { base32 } from "@tidemark/protocol";
import type { Observation } from "../store/observation.ts";
import { fenceLine, fenceText, type FenceFrame, type FenceItem } from "./fence.ts";
import { candidatesFor, type Candidate } from "./candidates.ts";
import { heldWhy } from "./held.ts";
import {
  createRoom,
  lineEndTokens,
  lineTokensMin,
  type Need,
  type NoRoom,
  type Room,
} from "./room.ts";
import type { Signal } from "./screen/signal.ts";
import type { Moment, RecallDeps } from "./moment.ts";
import type { Score } from "./score.ts";
import { leadingTiers, tiersFrom, titleCharsMax, type Tier } from "./tiers.ts";
import { tokensOf } from "./tokens.ts";

/** What the number of items may take more than none does. */
const countTokens = 3;
/** Items without room that are named. */
const passedMax = 20;
/** Below this trust a record is counted, not shown. */
const trustMin = 2;

/** One chosen item and why it is there. */
export interface ContextItem {
  readonly observation: Observation;
  readonly why: string;
  /** What it was ranked by; see `score.ts`. */
  readonly score: number;
  readonly tokens: number;
}

/** One item that fits the moment and got no room. */
export interface PassedItem extends ContextItem {
  readonly noRoom: NoRoom;
}

/** One item that would have been given, and what its words gave away (RC19). */
export interface HeldItem {
  readonly observation: Observation;
  readonly signals: readonly Signal[];
}

/** What a session is given; `text` is undefined when there is nothing to give. */
export interface Context {
  readonly text: string | undefined;
  readonly items: readonly ContextItem[];
  /** Observations that would fit the moment but not the budget. */
  readonly left: number;
  /** The best of these. */
  readonly passed: readonly PassedItem[];
  /** Left out for want of trust. */
  readonly unreviewed: number;
  /** Left out because they read like orders to agents. */
  readonly held: readonly HeldItem[];
  readonly tokens: number;
}

/**
 * Chooses what a session is given now (RC3): pinned first, then by score, within the budget, never
 * twice in one session, superseded and archived ones left out, other people's records as facts
 * only and at most a third. Choosing writes nothing; {@link recordGiven} does.
 */
export function buildContext(deps: RecallDeps, moment: Moment): Context {
  const nowMs = deps.clock.nowMs();
  const frame: FenceFrame = {
    boundary: base32(deps.random.bytes(12)),
    nowMs,
    scrub: deps.scrub,
  };
  const candidates = candidatesFor(deps, moment, nowMs);
  const trusted = candidates.filter(({ observation }) => observation.trust >= trustMin);
  const leading = (moment.leading ?? []).map((observation) => ({
    observation,
    score: leadingScore,
  }));
  const unreviewed = candidates.length - trusted.length;
  const all = [...leading, ...trusted];
  // The counts of the footer come later, and none of them is higher.
  const longest = footerOf({ left: all.length, unreviewed, held: all.length });
  const frameText = fenceText([], longest, frame.boundary);
  const size = { tokens: tokensOf(frameText) + countTokens, chars: frameText.length + countTokens };
  const { items, lines, held, passed } = fill(all, {
    moment,
    frame,
    room: createRoom(moment, size),
  });
  const left = all.length - items.length - held.length;
  const told = { items, left, passed, unreviewed, held };
  if (items.length === 0) return { ...told, text: undefined, tokens: 0 };
  const footer = footerOf({ left, unreviewed, held: held.length });
  const text = fenceText(lines, footer, frame.boundary);
  return { ...told, text, tokens: tokensOf(text) };
}

/** Remembers what a session was given (RC4), and what it took of which budget (DA8). */
export function recordGiven(
  deps: RecallDeps,
  { session, tokensMax }: Required<Pick<Moment, "session" | "tokensMax">>,
  { items, tokens }: Context,
): void {
  if (items.length === 0) return;
  const given = items.map(({ observation, tokens: each }) => ({
    id: observation.id,
    tokens: each,
  }));
  deps.sessions.addGiving({ session, atMs: deps.clock.nowMs(), tokens, tokensMax, items: given });
}

/** What comes first whatever it matches. */
const leadingScore: Score = { value: Infinity, why: "left for this session" };

/** Origins whose stories stay out even where the person has pinned the record (RC13). */
const foreignOrigins: ReadonlySet<Observation["origin"]> = new Set(["web", "import"]);

interface Filled {
  readonly items: ContextItem[];
  readonly lines: string[];
  readonly held: HeldItem[];
  readonly passed: PassedItem[];
}

interface Filling {
  readonly moment: Moment;
  readonly frame: FenceFrame;
  readonly room: Room;
}

function fill(candidates: readonly Candidate[], filling: Filling): Filled {
  const { moment, frame, room } = filling;
  const filled: Filled = { items: [], lines: [], held: [], passed: [] };
  let before: FenceItem | undefined;
  for (const candidate of candidates) {
    if (room.isFull() && !asksMore(moment, filled)) break;
    const whole = itemOf(candidate, moment);
    // To write and weigh a line takes time, of which a hook has little.
    if (moment.explains !== true && room.isBelow(leastTokens(candidate))) continue;
    const { line, need, noRoom } = lineFor(candidate, whole, filling);
    if (line.includes(frame.boundary)) continue;
    const { observation, score } = candidate;
    const ranked = { observation, why: score.why, score: score.value, tokens: need.tokens };
    // Looked at last: what does not fit is not worth the time of a hook. The story is looked at as
    // well where the title alone is told, since who reads that may ask for the rest.
    const signals = noRoom === undefined ? heldWhy(whole, before) : undefined;
    if (noRoom !== undefined) filled.passed.push({ ...ranked, noRoom });
    else if (signals !== undefined) filled.held.push({ observation, signals });
    else {
      room.take(need);
      before = whole;
      filled.items.push(ranked);
      filled.lines.push(line);
    }
  }
  return filled;
}

interface Line {
  readonly line: string;
  readonly need: Need;
  readonly noRoom: NoRoom | undefined;
}

/** An item's line, as long as its tier and the room allow (RC35), and what keeps it out. */
function lineFor(candidate: Candidate, whole: FenceItem, { moment, frame, room }: Filling): Line {
  const isLeading = candidate.score === leadingScore;
  const { pinned } = candidate.observation;
  const [most, ...less] = isLeading ? leadingTiers : tiersFrom(room.taken(), pinned);
  const write = (tier: Tier) => {
    const line = fenceLine({ ...whole, ...tier }, frame);
    const need = needOf(candidate, line, moment);
    const isShort = pinned || need.tokens <= room.tokens * tier.shareMax;
    return { line, need, noRoom: room.lacks(need), isShort };
  };
  let told = write(most);
  for (const tier of less) {
    const isTold = told.noRoom === undefined && told.isShort;
    if (isTold || told.noRoom === "items of one person") break;
    told = write(tier);
  }
  return told;
}

function asksMore({ explains }: Moment, { passed }: Filled): boolean {
  return explains === true && passed.length < passedMax;
}

function itemOf({ observation, score }: Candidate, moment: Moment): FenceItem {
  if (score === leadingScore) return leadingItem(observation);
  const factsOnly = isOthers(observation, moment) || foreignOrigins.has(observation.origin);
  const [{ charsMax }] = tiersFrom(0, false);
  return { observation, factsOnly, charsMax };
}

/** What comes before all else, as it is looked at. */
export function leadingItem(observation: Observation): FenceItem {
  const [{ charsMax }] = leadingTiers;
  return { observation, factsOnly: foreignOrigins.has(observation.origin), charsMax };
}

function needOf({ observation, score }: Candidate, line: string, moment: Moment): Need {
  const isOther = isOthers(observation, moment) && score !== leadingScore;
  const author = (observation.editedBy ?? observation.author).user ?? "unknown";
  return {
    tokens: tokensOf(line) + lineEndTokens,
    chars: line.length + 1,
    author: isOther ? author : undefined,
  };
}

/** No text has fewer tokens than an eighth of its characters, unless it is blank. */
function leastTokens({ observation }: Candidate): number {
  return lineTokensMin + Math.min(observation.title.length, titleCharsMax) / 8;
}

// A trust of 2 is a team-mate's, or one's own note of what a tool said.
function isOthers({ trust, namespace }: Observation, { ownNamespaces }: Moment): boolean {
  return trust === trustMin && ownNamespaces?.has(namespace) !== true;
}

function footerOf(counts: Readonly<Record<"left" | "unreviewed" | "held", number>>): string {
  const { left, unreviewed, held } = counts;
  const parts = [
    left > 0 ? `${left} more in memory: tidemark search "…"` : "",
    unreviewed > 0
      ? `${unreviewed} unreviewed not shown: look at tidemark list --all, then tidemark pin <id>`
      : "",
    held > 0 ? `${held} held back for a person to look at: tidemark context` : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
