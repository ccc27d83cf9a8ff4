/** What a server tells all devices of a person (AD5), as a home keeps and shows it. */
import type { NewsEvent } from "@tidemark/protocol";
import type { NewsItem } from "@tidemark/protocol/wire";

/** Names under which the store keeps the news, and how far a person was told of them. */
export const newsName = "account.news";
/** See {@link newsName}. */
export const newsToldName = "account.news-told";

/** News that are kept; older ones are the audit's. */
const keptMax = 20;

/** What the store keeps: the news of one server, newest first. */
interface KeptNews {
  readonly server: string;
  readonly items: readonly NewsItem[];
}

/** How far a person was told. */
interface Told {
  readonly server: string;
  readonly seq: number;
  readonly at: number;
}

/** News with those of before that the server tells no more, as the store keeps them. */
export function newsText(
  before: string | undefined,
  server: string,
  told: readonly NewsItem[],
): string {
  const kept = readKept(before, server);
  const highest = told[0]?.seq ?? 0;
  // A server that was put back tells of less than before: what it forgot did not happen any more.
  const older = (kept[0]?.seq ?? 0) > highest ? [] : kept;
  const seqs = new Set(told.map(({ seq }) => seq));
  const items = [...told, ...older.filter(({ seq }) => !seqs.has(seq))].slice(0, keptMax);
  const news: KeptNews = { server, items };
  return JSON.stringify(news);
}

/** A piece of news as a person is shown it. */
export interface ShownNews extends NewsItem {
  /** Whether nobody was shown it on this device. */
  readonly isNew: boolean;
}

/** What the store has kept for this device, newest first, without what it did itself. */
export function readNews(
  kept: string | undefined,
  told: string | undefined,
  own: { readonly device: string; readonly server: string },
): readonly ShownNews[] {
  const until = readTold(told, own.server);
  return readKept(kept, own.server)
    .filter((item) => isKnown(item) && !isOwnDoing(item, own.device))
    .map((item) => ({ ...item, isNew: item.seq > until.seq || item.at > until.at }));
}

/** What the store keeps once a person was shown all of these; undefined where there are none. */
export function toldText(items: readonly NewsItem[], server: string): string | undefined {
  if (items.length === 0) return undefined;
  const seq = Math.max(...items.map((item) => item.seq));
  const at = Math.max(...items.map((item) => item.at));
  const told: Told = { server, seq, at };
  return JSON.stringify(told);
}

const events: ReadonlySet<string> = new Set<NewsEvent>([
  "device-joined",
  "device-revoked",
  "device-quarantined",
  "quarantine-lifted",
  "key-copied",
  "approvals-locked",
  "owner-reset",
  "identity-connected",
]);

/** A later server's words are left to a later client. */
function isKnown({ event }: NewsItem): boolean {
  return events.has(event);
}

// A device that this one let in is told of all the same: a copy of its key may have done it.
function isOwnDoing({ event, device, by }: NewsItem, own: string): boolean {
  return event === "device-joined" ? device === own : by === own;
}

function readKept(text: string | undefined, server: string): readonly NewsItem[] {
  if (text === undefined) return [];
  const kept = JSON.parse(text) as KeptNews;
  return kept.server === server ? kept.items : [];
}

function readTold(text: string | undefined, server: string): Pick<Told, "seq" | "at"> {
  const told = text === undefined ? undefined : (JSON.parse(text) as Told);
  return told?.server === server ? told : { seq: 0, at: 0 };
}
