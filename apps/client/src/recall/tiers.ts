import { itemCharsMax, type FenceItem } from "./fence.ts";

/** How much of an item is told. */
export interface Tier extends Required<Pick<FenceItem, "charsMax" | "titleOnly">> {
  /** Share of the room that it may take, unless its person has pinned it. */
  readonly shareMax: number;
}

/** What an item may be told in, the most first. */
export type Tiers = readonly [Tier, ...Tier[]];

/** Characters of a title that stands alone. */
export const titleCharsMax = 160;
/** Share of the room up to which items are told whole, and up to which their beginnings are. */
const wholeShare = 0.2;
const briefShare = 0.5;

const title: Tiers = [{ charsMax: titleCharsMax, titleOnly: true, shareMax: 1 }];
const brief: Tiers = [{ charsMax: 240, titleOnly: false, shareMax: 0.45 }, ...title];
const whole: Tiers = [
  { charsMax: itemCharsMax, titleOnly: false, shareMax: 0.25 },
  { charsMax: 400, titleOnly: false, shareMax: 0.3 },
  ...brief,
];

/** What an item may be told in where that share of the room is taken already (RC35). */
export function tiersFrom(taken: number, isPinned: boolean): Tiers {
  if (isPinned || taken < wholeShare) return whole;
  return taken < briefShare ? brief : title;
}

const leadingChars = [2_400, 1_800, 1_350, 1_000, 750, 560, 420, 310, 230, 170, 120] as const;

/** For what stands before all else: as much of it as there is room for, if that tells anything. */
export const leadingTiers = leadingChars.map((charsMax) => ({
  charsMax,
  titleOnly: false,
  shareMax: 1,
})) as readonly Tier[] as Tiers;
