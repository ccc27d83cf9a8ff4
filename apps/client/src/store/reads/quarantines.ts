import {
  collections,
  compareClocks,
  type DeviceId,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Author } from "../local-store.ts";
import { readSuspects } from "../records/suspects.ts";
import type { SuspectRow } from "../rows.ts";
import { wordsOf } from "../view/hidden.ts";
import { isLiveView, viewOf, type LiveView } from "../view/view.ts";
import { createAuthors, type Authors } from "./authors.ts";

/** A device whose words are hidden in a namespace, as this device was told. */
export interface QuarantineView {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  /** Whose it is and what it is called, where this device was told. */
  readonly author: Author;
  /** Wall milliseconds, for show; 0: everything that it ever wrote. */
  readonly since: number;
  /** Observations that are hidden here on its account. */
  readonly hidden: readonly RecordId[];
}

/** An observation that came of what a device in quarantine wrote. */
export interface Descendant {
  readonly namespace: NamespaceId;
  readonly id: RecordId;
  /** It took the place of a hidden one, or is a hidden one that somebody else has edited since. */
  readonly why: "supersedes" | "edited";
}

/** All quarantines that this device was told of. Reads what they reach. */
export function listQuarantines(context: StoreContext): readonly QuarantineView[] {
  const rows = context.db.all<SuspectRow>(
    "SELECT namespace, device, above, since FROM suspects ORDER BY namespace, device",
  );
  return rows.map((row) => ({
    namespace: row.namespace as NamespaceId,
    device: row.device as DeviceId,
    author: nameOf(context, row.device),
    since: row.since,
    hidden: hiddenBy(context, row).map(({ state }) => state.id),
  }));
}

/** Devices behind writers, with the names that the server told. */
export function authorDevices(
  context: StoreContext,
): readonly { readonly id: DeviceId; readonly name: string }[] {
  return context.db.all<{ id: DeviceId; name: string }>(
    `SELECT device AS id, max(device_name) AS name FROM writers
     WHERE device IS NOT NULL AND device_name IS NOT NULL GROUP BY device ORDER BY device`,
  );
}

/** What keeps one record hidden; nothing where it is shown. */
export function quarantinesOf(
  context: StoreContext,
  namespace: NamespaceId,
  id: RecordId,
): readonly Omit<QuarantineView, "hidden">[] {
  const view = viewOf(context, namespace, id);
  if (!isLiveView(view)) return [];
  const authors = createAuthors(context);
  if (authors.trust(namespace, view.state, view.seq) > 0) return [];
  return readSuspects(context, namespace)
    .filter((row) => isReached(authors, row, view))
    .map(({ device, since }) => ({
      namespace,
      device: device as DeviceId,
      author: nameOf(context, device),
      since,
    }));
}

/** What others made of what a device wrote that is hidden now. */
export function descendantsOfHidden(
  context: StoreContext,
  device: DeviceId,
): readonly Descendant[] {
  const rows = context.db.all<SuspectRow>(
    "SELECT namespace, device, above, since FROM suspects WHERE device = ? ORDER BY namespace",
    device,
  );
  return rows.flatMap((row) => descendantsIn(context, row));
}

function descendantsIn(context: StoreContext, row: SuspectRow): readonly Descendant[] {
  const namespace = row.namespace as NamespaceId;
  const authors = createAuthors(context);
  const hidden = hiddenBy(context, row);
  const ids = new Set<string>(hidden.map(({ state }) => state.id));
  const successors = [...successorsOf(context, namespace, hidden)].flatMap((id) => {
    const view = ids.has(id) ? undefined : viewOf(context, namespace, id);
    return isLiveView(view) ? [view.state.id] : [];
  });
  const edited = hidden.filter((view) => isEditedAfter(authors, row, view));
  return [
    ...successors.map((id) => ({ namespace, id, why: "supersedes" as const })),
    ...edited.map(({ state }) => ({ namespace, id: state.id, why: "edited" as const })),
  ];
}

// Either side may say so, and one that was not sent yet stands in the view alone.
function successorsOf(
  context: StoreContext,
  namespace: NamespaceId,
  replaced: readonly LiveView[],
): ReadonlySet<string> {
  const rows = context.db.all<{ id: RecordId }>(
    `SELECT id FROM records
     WHERE namespace = ?1 AND collection = ?2 AND forgotten = 0
       AND fields ->> 'supersedes' IN (SELECT value FROM json_each(?3))
     ORDER BY id`,
    namespace,
    collections.observation,
    JSON.stringify(replaced.map(({ state }) => state.id)),
  );
  const told = replaced.flatMap(({ state }) => {
    const heir = state.registers["supersededBy"]?.value;
    return typeof heir === "string" ? [heir] : [];
  });
  return new Set<string>([...rows.map(({ id }) => id), ...told]);
}

function hiddenBy(context: StoreContext, row: SuspectRow): readonly LiveView[] {
  const authors = createAuthors(context);
  return wordsOf(context, row.namespace, [row]).flatMap((id) => {
    const view = viewOf(context, row.namespace, id);
    if (!isLiveView(view) || view.state.collection !== collections.observation) return [];
    const isHidden = authors.trust(row.namespace, view.state, view.seq) === 0;
    return isHidden && isReached(authors, row, view) ? [view] : [];
  });
}

// Words of which nobody knows whose they are may be anybody's who is under suspicion.
function isReached(authors: Authors, row: SuspectRow, { state, seq }: LiveView): boolean {
  return authors
    .words(row.namespace, state, seq)
    .some(({ isDoubted, device }) => isDoubted && (device === null || device === row.device));
}

function isEditedAfter(authors: Authors, row: SuspectRow, { state, seq }: LiveView): boolean {
  const words = authors.words(row.namespace, state, seq);
  const first = words
    .filter(({ isDoubted }) => isDoubted)
    .toSorted((left, right) => compareClocks(left.clock, right.clock))[0];
  return words.some(
    ({ isDoubted, clock }) =>
      !isDoubted && first !== undefined && compareClocks(clock, first.clock) > 0,
  );
}

function nameOf(context: StoreContext, device: string): Author {
  const own = context.identity();
  if (own?.device.id === device) return { user: own.user?.name ?? null, device: own.device.name };
  const row = context.db.get<Author>(
    `SELECT user_name AS user, device_name AS device FROM writers
     WHERE device = ? AND device_name IS NOT NULL LIMIT 1`,
    device,
  );
  return { user: row?.user ?? null, device: row?.device ?? null };
}
