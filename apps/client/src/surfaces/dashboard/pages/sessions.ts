import { collections } from "@tidemark/protocol";
import { html } from "hono/html";
import { eventHead } from "../../../memory/event-head.ts";
import {
  retrospectiveOf,
  retrospectiveParts,
  type Retrospective,
} from "../../../memory/retrospective.ts";
import type { AgentEventEntry } from "../../../store/session-log.ts";
import type { RecordView } from "../../../store/reads/record-view.ts";
import type { DashboardDeps } from "../deps.ts";
import { lines, page, type Line, type Markup } from "../layout.ts";
import { observationLine } from "../now.ts";
import { joined, projectName, whenText } from "../words.ts";

const rowsMax = 200;

/** The sessions that this device knows, newest first; one page of them. */
export function sessionsPage({ memory }: Pick<DashboardDeps, "memory">, offset: number): Markup {
  const all = memory.store.reads.records(collections.session);
  const rows = all.slice(offset, offset + rowsMax).map(lineOf);
  const [newer, older] = [Math.max(0, offset - rowsMax), offset + rowsMax];
  return page(
    "Sessions",
    "/sessions",
    html`${lines(rows, offset > 0 ? "No older session." : "No session was captured yet.")}
      <p class="next">
        ${offset > 0 ? html`<a href="/sessions?from=${newer}">Newer</a>` : ""}${all.length > older ? html`<a href="/sessions?from=${older}">More</a>` : ""}
      </p>`,
  );
}

/** One session: what it left, and its events in order; undefined where nothing is known of it. */
export function sessionPage({ memory }: DashboardDeps, id: string): Markup | undefined {
  const { reads, sessions } = memory.store;
  const found = reads.find(id, { collection: collections.session });
  const events = sessions.events(id);
  const isGone = !found.ok && found.error.kind === "forgotten";
  if (!found.ok && (isGone || events.length === 0)) return undefined;
  const line = found.ok ? lineOf(found.value) : { title: id, meta: "" };
  const observations = reads.list({ session: id, includeHidden: true });
  const left = observations.map(observationLine);
  const told = found.ok ? retrospectiveOf(found.value.fields, observations) : undefined;
  return page(
    line.title,
    "/sessions",
    html`<p class="meta">${line.meta}</p>
      ${told === undefined ? "" : outcomeParts(told)}
      <h2>What it left</h2>
      ${lines(left, "No observation.")}
      <h2>What happened</h2>
      <p class="meta">
        <code>tidemark session export ${id} --html FILE</code> writes it all to one file.
      </p>
      ${
        events.length === 0
          ? lines([], "Its events are kept on the device where it ran, for a while.")
          : html`<ul class="rows">
              ${events.map(eventOf)}
            </ul>`
      }`,
  );
}

/** What the session was for and what came of it. */
function outcomeParts(told: Retrospective): readonly Markup[] {
  return retrospectiveParts(told).map(
    ({ name, items }) =>
      html`<h2>${name}</h2>
        <ul>
          ${items.map((item) => html`<li>${item}</li>`)}
        </ul>`,
  );
}

function eventOf({ payload, atMs }: AgentEventEntry): Markup {
  return html`<li>
    <span class="row">${eventHead(payload)}</span>
    <p class="when">${whenText(atMs)}</p>
    <details>
      <summary>all of it</summary>
      <pre tabindex="0">${JSON.stringify(payload, undefined, 2)}</pre>
    </details>
  </li>`;
}

function lineOf({ id, fields, author, createdAtMs }: RecordView): Line {
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === "string" ? value : "";
  };
  const project = projectName(text("project"));
  const meta = joined(text("agent"), project, author.device, whenText(createdAtMs));
  return {
    href: `/sessions/${encodeURIComponent(id)}`,
    title: text("title") || id,
    meta,
  };
}
