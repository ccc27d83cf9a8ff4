import type { Trouble } from "../../trouble.ts";
import { counted } from "../../render/text.ts";
import { safeText } from "../../../../platform/terminal.ts";

/** What came of one file that was taken in. */
export interface Taken {
  /** What it was, such as `transcript`. */
  readonly kind: string;
  readonly added: number;
  /** What this device had, or had forgotten. */
  readonly known: number;
  readonly refused: number;
  /** What was passed over, each with its place and the reason. */
  readonly skipped: readonly { readonly from: string; readonly reason: string }[];
  /** All of it, as `--json` prints it. */
  readonly json: Readonly<Record<string, unknown>>;
  /** What people read first. */
  readonly headline: string;
  /** More for people, a line each, such as what differs. */
  readonly notes?: readonly string[];
  /** The first things that were added, or would be. */
  readonly titles: readonly string[];
  readonly trouble?: Trouble;
  /** A person ended the import before the file's end: only what was added is told. */
  readonly isCut?: boolean;
}

/** Takes the lines of one file in until they end; one batch is one commit. */
export interface LineTaker {
  take(lines: readonly string[]): void;
  /** What is stored so far, and stays whatever comes. */
  kept(): number;
  /** Undefined where no line was of a kind that it reads. */
  end(): Taken | undefined | Promise<Taken | undefined>;
}

/** What came of a file before a person ended the import. */
export function stoppedAfter(taker: Pick<LineTaker, "kept"> | undefined): Taken {
  const none = { known: 0, refused: 0, skipped: [], json: {}, headline: "", titles: [] };
  return { kind: "stopped", isCut: true, added: taker?.kept() ?? 0, ...none };
}

/** How many of anything people are shown. */
export const shownMax = 5;

/** What people read of one file. */
export function takenText(taken: Taken, isDry: boolean): string {
  const { headline, refused, skipped, titles, notes = [] } = taken;
  return [
    headline,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(isDry ? titles.slice(0, shownMax).map((title) => `  ${safeText(title, 100)}`) : []),
    ...notes,
    ...skipped
      .slice(0, shownMax)
      .map(({ from, reason }) => safeText(`${from} passed over: ${reason}`)),
    ...(skipped.length > shownMax ? [`… ${skipped.length - shownMax} more passed over`] : []),
    ...(isDry ? ["nothing was changed; leave out --dry-run to do it"] : []),
  ].join("\n");
}

/** The first line about things that were added, or would be. */
export function addedHeadline(
  { added, known }: Pick<Taken, "added" | "known">,
  one: string,
  isDry: boolean,
): string {
  return `${counted(added, one)} ${isDry ? "would be added" : "added"}, ${known} known before`;
}
