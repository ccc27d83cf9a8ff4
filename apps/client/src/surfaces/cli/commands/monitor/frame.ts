import { dateText } from "../../../../platform/date-text.ts";
import { safeText } from "../../../../platform/terminal.ts";
import { ageOf, columns, counted, type Style } from "../../render/text.ts";
import type { MonitorView, SessionRow } from "./view.ts";

const numbers = new Intl.NumberFormat("en");
const titleCharsMax = 40;

/** Where a frame is drawn. */
export interface FramePlace {
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
  readonly nowMs: number;
}

/** A frame of the monitor: never wider or higher than the terminal. */
export function monitorFrame(view: MonitorView, place: FramePlace): readonly string[] {
  const { nowMs, style } = place;
  const cut = (line: string): string => safeText(line, place.columns);
  const part = (title: string, lines: readonly string[]): readonly string[] => [
    "",
    style.bold(cut(title)),
    ...lines.map((line) => cut(`  ${line}`)),
  ];
  const time = dateText(nowMs).slice(11, 19);
  const room = Math.max(1, Math.floor((place.rows - 11 - view.namespaces.length) / 2));
  const sessions = view.sessions.slice(0, room);
  const captured = view.captured.slice(0, room);
  const lines = [
    style.dim(cut(`Tidemark · ${time} UTC · q ends`)),
    ...part(
      "Sessions of the last day",
      sessions.length === 0
        ? ["no agent has told of anything"]
        : columns([heads, ...sessions.map((one) => cells(one, nowMs))]).split("\n"),
    ),
    ...part(
      "Captured last",
      captured.length === 0
        ? ["nothing yet"]
        : columns(
            captured.map(({ kind, title, createdAt }) => [ageOf(nowMs, createdAt), kind, title]),
          ).split("\n"),
    ),
    ...part("Sync", syncLines(view, nowMs)),
  ];
  return lines.slice(0, place.rows);
}

/** The same as lines under names that stay, so that what has changed can be told by itself. */
export function monitorLines(view: MonitorView): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const one of view.sessions.toReversed()) {
    lines.set(`session ${one.id}`, sessionText(one));
  }
  for (const { id, kind, title } of view.captured.toReversed()) {
    lines.set(`captured ${id}`, `captured ${kind}: ${title}`);
  }
  for (const one of view.namespaces) lines.set(`sync ${one.id}`, `sync ${namespaceText(one)}`);
  const { failure, isPaired } = view;
  if (!isPaired) lines.set("pairing", "not paired: everything is kept on this device alone");
  if (failure !== null) lines.set("failure", `the last sync failed: ${failure.message}`);
  return lines;
}

const heads = ["", "agent", "tokens in use", "events", "captured", "given", "session"];

function cells(one: SessionRow, nowMs: number): readonly string[] {
  const tokens = one.givenTokens === 0 ? "" : `, ${numbers.format(one.givenTokens)} tokens`;
  return [
    ageOf(nowMs, one.lastAt),
    one.agent,
    useText(one) ?? "not told",
    String(one.events),
    String(one.captured),
    `${one.given}${tokens}`,
    one.title,
  ];
}

function sessionText(one: SessionRow): string {
  const use = useText(one);
  const tokens = one.givenTokens === 0 ? "" : ` (${numbers.format(one.givenTokens)} tokens)`;
  const parts = [
    safeText(one.title, titleCharsMax),
    ...(use === undefined ? [] : [`${use} tokens in use`]),
    counted(one.events, "event"),
    `${one.captured} captured`,
    `${one.given} given${tokens}`,
  ];
  return `session ${one.agent}: ${parts.join(", ")}`;
}

function useText({ use }: SessionRow): string | undefined {
  if (use === null) return undefined;
  const window = use.window === undefined ? "" : ` of ${numbers.format(use.window)}`;
  return `${numbers.format(use.tokens)}${window}`;
}

function syncLines(view: MonitorView, nowMs: number): readonly string[] {
  const { failure, isPaired, namespaces } = view;
  if (!isPaired) return ["not paired: everything is kept on this device alone"];
  const failed =
    failure === null ? [] : [`failed ${ageOf(nowMs, failure.at)} ago: ${failure.message}`];
  const states = namespaces.map((one) => {
    const age = one.syncedAt === null ? "" : `, ${ageOf(nowMs, one.syncedAt)} ago`;
    return `${namespaceText(one)}${age}`;
  });
  return [...failed, ...states];
}

function namespaceText(one: MonitorView["namespaces"][number]): string {
  const state = {
    unpaired: "not paired",
    parked: "no longer a member",
    active: one.synced ? "synced" : "not synced",
  }[one.status];
  return `${one.name}: ${one.outbox + one.unverified} waiting, ${one.rejected} refused, ${state}`;
}
