import { collections } from "@tidemark/protocol";
import { readFindingCounts } from "../../platform/finding-counts.ts";
import type { Observation } from "../../store/observation.ts";
import { lastFailureName, readLastFailure } from "../../sync/last-failure.ts";
import { namespaceStatuses, type NamespaceStatus } from "../../sync/status.ts";
import type { DashboardDeps } from "./deps.ts";
import type { Line } from "./layout.ts";
import { counted, joined, projectName, whenText } from "./words.ts";

/** One list of the first page. */
export interface NowList {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly Line[];
  readonly none: string;
}

/** How far back a session counts as one of today, in milliseconds. */
const dayMs = 86_400_000;
const rowsMax = 10;

/** What happens on this device: captured, told by agents, scrubbed, synced. */
export function nowLists({
  memory,
  home,
}: Pick<DashboardDeps, "memory" | "home">): readonly NowList[] {
  const { reads, sessions, replicas, upkeep } = memory.store;
  const since = memory.clock.nowMs() - dayMs;
  const failure = readLastFailure(upkeep.meta(lastFailureName));
  const sync = namespaceStatuses(replicas.replicas(), failure).map(syncLine);
  const failed =
    failure === undefined || home.identity() === undefined
      ? []
      : [{ title: `The last sync failed: ${failure.message}`, meta: whenText(failure.at) }];
  const counts = Object.entries(readFindingCounts(home.paths.findings));
  const open = sessions.sessionsSince(since).slice(0, rowsMax);
  return [
    list(
      "captured",
      "Captured last",
      reads.list({ limit: rowsMax }).map(observationLine),
      "Nothing yet.",
    ),
    list(
      "sessions",
      "Sessions of the last day",
      open.map((id) => sessionLine(memory, id)),
      "No agent has told of anything in the last day.",
    ),
    list("sync", "Sync", [...failed, ...sync], "Nothing to sync."),
    list(
      "scrubbed",
      "Taken out before it was stored",
      counts
        .toSorted(([, left], [, right]) => right - left)
        .map(([kind, count]) => ({ title: kind, meta: String(count) })),
      "No secret was found yet.",
    ),
  ];
}

function list(id: string, title: string, rows: readonly Line[], none: string): NowList {
  return { id, title, rows, none };
}

/** An observation in one line of a list. */
export function observationLine(one: Observation): Line {
  const by = [one.agent, one.author.user].filter((name) => name !== null).join(", ");
  const meta = joined(one.kind, projectName(one.project ?? ""), by, whenText(one.createdAt));
  return { href: `/memory/${one.id}`, title: one.title, meta };
}

/** A session of this device in one line: how much was told, and what it was given. */
function sessionLine(memory: DashboardDeps["memory"], id: string): Line {
  const { reads, sessions } = memory.store;
  const found = reads.find(id, { collection: collections.session });
  const title = found.ok ? found.value.fields["title"] : undefined;
  const agent = found.ok ? found.value.fields["agent"] : undefined;
  const events = sessions.events(id);
  const given = sessions.injected(id).size;
  const meta = joined(
    typeof agent === "string" ? agent : "",
    counted(events.length, "event"),
    `given ${counted(given, "observation")}`,
    whenText(events.at(-1)?.atMs ?? 0),
  );
  return {
    href: `/sessions/${encodeURIComponent(id)}`,
    title: typeof title === "string" && title !== "" ? title : id,
    meta,
  };
}

function syncLine(one: NamespaceStatus): Line {
  const waits = one.outbox + one.unverified;
  const synced = one.synced && one.syncedAt !== null ? `synced ${whenText(one.syncedAt)}` : "";
  const state = {
    unpaired: "not paired: kept on this device alone",
    parked: "no longer a member",
    active: synced === "" ? "not synced" : synced,
  }[one.status];
  return { title: one.name, meta: joined(state, `${waits} waiting`, `${one.rejected} refused`) };
}
