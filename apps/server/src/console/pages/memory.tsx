import { isEncryptedId, isId, type NamespaceId } from "@tidemark/protocol";
import type { NamespaceInfo, Suspect } from "@tidemark/protocol/wire";
import { readObservations, type ObservationsPage } from "../../domain/reading.ts";
import { serverLimits } from "../../limits.ts";
import { observationOf, type Observation } from "../observation.ts";
import { Badge, Empty, Run, Said, When } from "../parts/bits.tsx";
import { dayText, numberText } from "../words.ts";
import { read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { notDone, notFound } from "./refusals.tsx";

/** Words of one search, and their letters. */
const wordsMax = 8;
const queryCharsMax = 200;

/** What a person looks at: where, what for, and from where on down. */
interface Asked {
  readonly place: NamespaceInfo;
  readonly query: string;
  readonly before: number | undefined;
}

/** Browsing and searching what agents have learned, a day at a time, newest first (CO8). */
export async function memory(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, c } = visit;
  const device = session.device.id;
  const places = await parts.accounts.namespaces(device);
  const wanted = c.req.query("namespace");
  const place = wanted === undefined ? places[0] : places.find(({ id }) => id === wanted);
  if (place === undefined) return notFound();
  const query = (c.req.query("q") ?? "").slice(0, queryCharsMax).trim();
  const before = c.req.query("before");
  const asked = {
    place,
    query,
    before: before !== undefined && /^[1-9]\d{0,14}$/.test(before) ? Number(before) : undefined,
  };
  const words = query
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, wordsMax);
  const page = await readObservations(parts, {
    namespace: place.id,
    device,
    before: asked.before,
    words,
  });
  if (!page.ok) {
    if (page.error.kind === "not-found") return notFound();
    return notDone("Memory", "The database does not answer. Try again in a moment.", 503);
  }
  const suspects = await suspectsIn(visit, place.id);
  const isSealed = isEncryptedId(place.id);
  return read(
    "Memory",
    <>
      {isSealed ? null : <SearchForm asked={asked} hasFocus={c.req.query("focus") === "search"} />}
      <div class="tabs" role="navigation" aria-label="Namespaces">
        {places.map(({ id, name }) => (
          <a
            href={`/console/memory?namespace=${id}${query === "" ? "" : `&q=${encodeURIComponent(query)}`}`}
            class={id === place.id ? "here" : ""}
            aria-current={id === place.id ? "true" : undefined}
          >
            <Said text={name} />
          </a>
        ))}
      </div>
      {isSealed ? (
        <Sealed />
      ) : (
        <Timeline visit={visit} asked={asked} page={page.value} suspects={suspects} />
      )}
    </>,
    { lede: "What your agents and colleagues have learned, newest first." },
  );
}

/** Quarantines of one namespace. */
export async function suspectsIn(
  { parts, session }: OwnVisit,
  namespace: NamespaceId,
): Promise<readonly Suspect[]> {
  const all = await parts.accounts.suspects(session.device.id);
  return all.filter((suspect) => suspect.namespace === namespace);
}

function SearchForm({ asked, hasFocus }: { readonly asked: Asked; readonly hasFocus: boolean }) {
  return (
    <form class="search" method="get" action="/console/memory" role="search">
      <input type="hidden" name="namespace" value={asked.place.id} />
      <input
        type="search"
        name="q"
        value={asked.query}
        placeholder={`Search ${asked.place.name}`}
        aria-label="Search"
        autocomplete="off"
        maxlength={queryCharsMax}
        autofocus={hasFocus}
      />
      <button type="submit">Search</button>
    </form>
  );
}

function Timeline(props: {
  readonly visit: OwnVisit;
  readonly asked: Asked;
  readonly page: ObservationsPage;
  readonly suspects: readonly Suspect[];
}) {
  const { visit, asked, page, suspects } = props;
  const { place, query, before } = asked;
  const items = page.records.flatMap(
    (record) => observationOf(record, { writers: page.writers, suspects }) ?? [],
  );
  const more = `/console/memory?namespace=${place.id}${query === "" ? "" : `&q=${encodeURIComponent(query)}`}`;
  return (
    <>
      {items.length > 0 ? null : <NothingFound query={query} isDeep={page.below !== undefined} />}
      {byDay(items).map(([day, entries]) => (
        <section>
          <h2 class="day">{day}</h2>
          {entries.map((item) => (
            <Entry item={item} namespace={place.id} nowMs={visit.nowMs} />
          ))}
        </section>
      ))}
      <nav class="pager" aria-label="Pages">
        {before === undefined ? null : (
          <a class="button" href={more}>
            Newest
          </a>
        )}
        {page.below === undefined ? null : (
          <a class="button" href={`${more}&before=${page.below}`} rel="next">
            {query !== "" && items.length < 30 ? "Look further back" : "Older"}
          </a>
        )}
      </nav>
    </>
  );
}

/** What a server has of an encrypted namespace is nothing to read. */
function Sealed() {
  return (
    <Empty title="Sealed on its members’ devices">
      <p>This server keeps it and cannot read it. On a device that has the key:</p>
      <Run command={'tidemark search "…"'} />
    </Empty>
  );
}

function NothingFound({ query, isDeep }: { readonly query: string; readonly isDeep: boolean }) {
  if (query === "") {
    return (
      <Empty title="Nothing is remembered here yet">
        <p>Connect an agent, and what it learns arrives by itself; or save something yourself:</p>
        <Run command={'tidemark save --title "What I learned"'} />
      </Empty>
    );
  }
  return (
    <Empty title={`Nothing holds all of “${query}”`}>
      <p>
        {isDeep
          ? `The newest ${numberText(serverLimits.console.searchedMax)} observations were looked through. Older ones may hold it.`
          : "Every observation of this namespace was looked through. Fewer words find more."}
      </p>
    </Empty>
  );
}

function byDay(items: readonly Observation[]): readonly (readonly [string, Observation[]])[] {
  const days = new Map<string, Observation[]>();
  for (const item of items) {
    const day = dayText(item.atMs);
    days.set(day, [...(days.get(day) ?? []), item]);
  }
  return [...days];
}

/** One observation of a list. */
export function Entry({
  item,
  namespace,
  nowMs,
}: {
  readonly item: Observation;
  readonly namespace: NamespaceId;
  readonly nowMs: number;
}) {
  const { id, title, narrative, facts, kind, author, project, atMs } = item;
  const text = narrative === "" ? facts.join(" · ") : narrative;
  return (
    <a class="entry" href={`/console/memory/${namespace}/${id}`} data-entry>
      <span class="entry-title">
        <Said text={title} />
      </span>
      {text === "" ? null : (
        <span class="entry-text">
          <Said text={text} />
        </span>
      )}
      <span class="entry-foot">
        {kind === "" ? null : <Badge text={kind} tone="accent" />}
        {item.isPinned ? <Badge text="pinned" tone="good" /> : null}
        {item.isArchived ? <Badge text="archived" /> : null}
        {item.isSuspect ? <Badge text="in quarantine" tone="warn" /> : null}
        <span>
          <Said
            text={author === undefined ? "unknown" : `${author.userName} / ${author.deviceName}`}
          />
        </span>
        {project === "" ? null : <Said text={project} />}
        <When at={atMs} now={nowMs} />
      </span>
    </a>
  );
}

/** A namespace out of a path; undefined for what cannot be one. */
export function namespaceIn({ c }: OwnVisit): NamespaceId | undefined {
  const id = c.req.param("namespace") ?? "";
  return isId(id) ? (id as NamespaceId) : undefined;
}
