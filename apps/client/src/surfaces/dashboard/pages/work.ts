import { collections, type JsonValue } from "@tidemark/protocol";
import { html } from "hono/html";
import { sha256 } from "../../../platform/hash.ts";
import { handoffOf } from "../../../memory/handoff.ts";
import type { ConflictView } from "../../../store/local-store.ts";
import type { DashboardDeps } from "../deps.ts";
import { lines, page, type Markup } from "../layout.ts";
import { joined, projectName, whenText } from "../words.ts";

/** Work that waits for the next session, and work that was taken up. */
export function handoffsPage({ memory }: DashboardDeps): Markup {
  const all = memory.store.reads.records(collections.handoff).map(handoffOf);
  const rows = all.map(({ task, state, next, project, takenBy, createdAt, origin }) => ({
    title: task,
    meta: joined(
      stateText(takenBy, origin),
      state,
      next === "" ? "" : `next: ${next}`,
      projectName(project),
      whenText(createdAt),
    ),
  }));
  return page("Handoffs", "/handoffs", lines(rows, "Nothing waits."));
}

function stateText(takenBy: string | null, origin: string): string {
  if (takenBy !== null) return "taken up";
  return origin === "web" ? "waits for a person: it read the web" : "waits";
}

/** Both values of one conflict may have 64 KiB. */
const conflictsMax = 25;

/** Values that lost to a concurrent change, each beside the one that stands; one page of them. */
export function conflictsPage(deps: Pick<DashboardDeps, "memory">, offset: number): Markup {
  const { memory } = deps;
  const found = memory.store.reads.conflicts({ offset, limit: conflictsMax + 1 });
  // The last of a page was settled.
  if (found.length === 0 && offset > 0) return conflictsPage(deps, 0);
  if (found.length === 0) return page("Conflicts", "/conflicts", lines([], "No conflicts."));
  const shown = found.slice(0, conflictsMax);
  return page(
    "Conflicts",
    "/conflicts",
    html`<p class="meta">
        Two devices changed one field unaware of each other. Both values are kept until you choose.
      </p>
      ${shown.map(
        (one) =>
          html`<section>
            <h2>${one.field} of <a href="/memory/${one.record}">${titleOf(memory, one)}</a></h2>
            <form class="sides" method="post" action="/conflicts/${one.id}">
              <input type="hidden" name="stands" value="${standsMark(one.current)}" />
              ${side("Stands", one.current, "current", "")}
              ${side("Lost", one.value, "losing", joined(one.author.user, whenText(one.at)))}
            </form>
          </section>`,
      )}
      <p class="next">
        ${offset > 0 ? html`<a href="/conflicts?from=${Math.max(0, offset - conflictsMax)}">Newer</a>` : ""}${found.length > conflictsMax ? html`<a href="/conflicts?from=${offset + conflictsMax}">More</a>` : ""}
      </p>`,
  );
}

/** Tells the value that stands on a page from one that came since. */
export function standsMark(value: JsonValue): string {
  return sha256.hex(JSON.stringify(value));
}

/** What a person knows a record by: its title, or its id where it has none. */
function titleOf(
  { store }: DashboardDeps["memory"],
  { namespace, record }: Pick<ConflictView, "namespace" | "record">,
): string {
  const title = store.reads.get(namespace, record)?.fields["title"];
  return typeof title === "string" && title !== "" ? title : record.slice(0, 10);
}

function side(title: string, value: JsonValue, keep: string, about: string): Markup {
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  return html`<div class="side">
    <p class="meta">${joined(title, about)}</p>
    <pre tabindex="0">${text}</pre>
    <button name="keep" value="${keep}">Keep this</button>
  </div>`;
}
