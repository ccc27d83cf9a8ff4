/** Share of the budget that records of other people may take. */
export const othersShare = 0.3;
/** Items of one other person. */
export const perAuthorMax = 5;

/** No line is shorter: its names and marks alone take this. */
export const lineTokensMin = 35;
const lineCharsMin = 100;
/** Between two lines. */
export const lineEndTokens = 1;

/** What a line takes of a budget. */
export interface Need {
  readonly tokens: number;
  readonly chars: number;
  /** Of whom it is, where that is somebody else. */
  readonly author: string | undefined;
}

/** Why an item that was next did not get room (RC25). */
export type NoRoom = "budget" | "share of others" | "items of one person";

/** What is left of a session's budget (RC3). */
export interface Room {
  /** Tokens that the lines may take, taken ones included. */
  readonly tokens: number;
  /** The share of them that is taken. */
  taken(): number;
  /** Whether the shortest line would be too long. */
  isFull(): boolean;
  /** Whether fewer tokens are left. */
  isBelow(needed: number): boolean;
  /** What keeps a line out; undefined where there is room. */
  lacks(need: Need): NoRoom | undefined;
  take(need: Need): void;
}

/** The room for the lines of one context, with what frames them taken off. */
export function createRoom(
  max: { readonly tokensMax: number; readonly charsMax: number },
  frame: { readonly tokens: number; readonly chars: number },
): Room {
  let { tokens, chars } = frame;
  const room = Math.max(1, max.tokensMax - tokens);
  let othersTokens = 0;
  const countByAuthor = new Map<string, number>();
  const isBelow = (needed: number): boolean => tokens + needed > max.tokensMax;
  return {
    tokens: room,
    taken: () => (tokens - frame.tokens) / room,
    isBelow,
    isFull: () => isBelow(lineTokensMin) || chars + lineCharsMin > max.charsMax,
    lacks: (need) => {
      if (isBelow(need.tokens) || chars + need.chars > max.charsMax) return "budget";
      if (need.author === undefined) return undefined;
      if ((countByAuthor.get(need.author) ?? 0) >= perAuthorMax) return "items of one person";
      const isOverShare = othersTokens + need.tokens > max.tokensMax * othersShare;
      return isOverShare ? "share of others" : undefined;
    },
    take: (need) => {
      tokens += need.tokens;
      chars += need.chars;
      if (need.author === undefined) return;
      countByAuthor.set(need.author, (countByAuthor.get(need.author) ?? 0) + 1);
      othersTokens += need.tokens;
    },
  };
}
