import type { NamespaceId, RecordId } from "@tidemark/protocol";
import { html } from "hono/html";
import { searchObservations } from "../../../recall/search.ts";
import type { ObservationFilter } from "../../../store/local-store.ts";
import type { Observation } from "../../../store/observation.ts";
import { nearbyOf } from "../../../wiring/nearness.ts";
import type { DashboardDeps } from "../deps.ts";
import { lines, page, type Markup } from "../layout.ts";
import { observationLine } from "../now.ts";
import { joined, whenText } from "../words.ts";

const rowsMax = 50;

/** What a person looks for. */
export interface MemoryQuery {
  readonly words: string;
  readonly kind: string;
  readonly includeHidden: boolean;
  readonly offset: number;
}

/** The memory browser. */
export async function memoryPage(deps: DashboardDeps, query: MemoryQuery): Promise<Markup> {
  const { memory, home, signal } = deps;
  const { words, kind, includeHidden, offset } = query;
  const filter: ObservationFilter = {
    kinds: kind === "" ? undefined : [kind],
    includeHidden,
    limit: rowsMax,
    offset,
  };
  const { reads } = memory.store;
  const { nearness, trouble } = await nearbyOf(home, memory, words, { signal });
  const items =
    words === "" ? reads.list(filter) : searchObservations(reads, words, filter, nearness).items;
  const to = (start: number): string =>
    `/memory?${new URLSearchParams({ q: words, kind, hidden: includeHidden ? "1" : "", from: String(start) }).toString()}`;
  return page(
    "Memory",
    "/memory",
    html`<form class="find" method="get" action="/memory" role="search">
        <label class="words">Words<input type="search" name="q" value="${words}" /></label>
        <label>Kind<input name="kind" value="${kind}" placeholder="any" size="10" /></label>
        <label
          >Archived<select name="hidden">
            <option value="">left out</option>
            <option value="1" ${includeHidden ? html`selected` : ""}>shown</option>
          </select></label
        >
        <button>Search</button>
      </form>
      ${trouble === undefined ? "" : html`<p class="meta">By words alone: ${trouble.message}.</p>`}
      ${lines(items.map(observationLine), "Nothing found.")}
      <p class="next">
        ${offset > 0 ? html`<a href="${to(Math.max(0, offset - rowsMax))}">Newer</a>` : ""}${items.length === rowsMax ? html`<a href="${to(offset + rowsMax)}">More</a>` : ""}
      </p>`,
  );
}

/**
 * One observation with all that its fields were; undefined where there is none. Where it stands in
 * several namespaces (NS8), each of them leads to its own.
 */
export function observationPage(
  { memory }: Pick<DashboardDeps, "memory">,
  id: string,
  namespace?: string,
): Markup | undefined {
  const { reads } = memory.store;
  const namespaces = namespace === undefined ? undefined : [namespace as NamespaceId];
  const found = reads.find(id, { namespaces });
  if (!found.ok) {
    return found.error.kind === "ambiguous" ? placesPage(memory, id, found.error.ids) : undefined;
  }
  const one = reads.observation(found.value.namespace, found.value.id);
  if (one === undefined) return undefined;
  const past = reads.history(one.namespace, one.id).map(({ field, value, state, author, at }) => ({
    title: `${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
    meta: joined(state, author.user, whenText(at)),
  }));
  return page(
    one.title,
    "/memory",
    html`<p class="meta">
        ${observationLine(one).meta} · trust
        ${one.trust}${one.archived ? " · archived" : ""}${one.pinned ? " · pinned" : ""}
      </p>
      ${one.narrative === "" ? "" : html`<p class="prose">${one.narrative}</p>`}
      ${section("Facts", one.facts)}${section("Files", filesOf(one))}${section("Concepts", one.concepts)}
      <h2>History</h2>
      ${lines(past, "Nothing is known of it.")}`,
  );
}

function placesPage(
  { store: { reads, replicas } }: DashboardDeps["memory"],
  asked: string,
  places: readonly { readonly namespace: NamespaceId; readonly id: RecordId }[],
): Markup {
  const rows = places.map(({ namespace, id }) => ({
    href: `/memory/${id}?in=${encodeURIComponent(namespace)}`,
    title: reads.observation(namespace, id)?.title ?? id,
    meta: replicas.replica(namespace)?.name ?? namespace,
  }));
  return page(
    asked,
    "/memory",
    html`<p class="meta">It stands in several namespaces.</p>
      ${lines(rows, "")}`,
  );
}

function filesOf({ filesModified, filesRead }: Observation): readonly string[] {
  return [...new Set([...filesModified, ...filesRead])];
}

function section(title: string, texts: readonly string[]): Markup | "" {
  if (texts.length === 0) return "";
  const rows = texts.map((text) => ({ title: text, meta: "" }));
  return html`<h2>${title}</h2>
    ${lines(rows, "")}`;
}
