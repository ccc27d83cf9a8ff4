import { safeText } from "../../../platform/terminal.ts";
import type { Context, ContextItem } from "../../../recall/context.ts";
import type { NoRoom } from "../../../recall/room.ts";
import { heldText } from "./held.ts";
import { counted, type Style } from "./text.ts";

const reasons: Readonly<Record<NoRoom, string>> = {
  budget: "does not fit the rest of the budget",
  "share of others": "other people's have had their third of the budget",
  "items of one person": "five of this person's are there",
};

/** Why each item is given, at which place, and why others are not (RC25). */
export function explainedText(given: Context, tokensMax: number, style: Style): string {
  const { items, passed, held, left, unreviewed, tokens } = given;
  const head = `${counted(items.length, "observation")} given, ${tokens} of ${counted(tokensMax, "token")}`;
  const rows = items.map((item, at) => rowOf(item, `${at + 1}`.padStart(3), style));
  const without = passed.map((item) => `${rowOf(item, "  -", style)}: ${reasons[item.noRoom]}`);
  const backRows = held.map(
    ({ observation, signals }) =>
      `  -  ${observation.id.slice(0, 10)}  ${safeText(observation.title, 60)}  ${style.dim(heldText(signals))}`,
  );
  const more = left - passed.length;
  return [
    style.bold(head),
    ...rows,
    ...section(style.bold("no room"), without),
    ...(more > 0 ? [style.dim(`and ${counted(more, "observation")} ranked below`)] : []),
    ...section(style.bold("held back: reads like an order to agents"), backRows),
    ...(unreviewed === 0
      ? []
      : ["", `${counted(unreviewed, "observation")} of trust below 2: given to nobody unasked`]),
  ].join("\n");
}

function section(title: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : ["", title, ...rows];
}

function rowOf(item: ContextItem, place: string, style: Style): string {
  const { observation, score, why, tokens } = item;
  const value = Number.isFinite(score) ? score.toFixed(2) : "first";
  return `${place}  ${observation.id.slice(0, 10)}  ${safeText(observation.title, 60)}  ${style.dim(`${value}: ${safeText(why)}, ${tokens} tokens`)}`;
}
