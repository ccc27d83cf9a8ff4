import { collections, isObject, type JsonValue } from "@tidemark/protocol";
import { html } from "hono/html";
import { retrospectiveOf, type Retrospective } from "../../../memory/retrospective.ts";
import type { AgentEventEntry } from "../../../store/session-log.ts";
import type { RecordView } from "../../../store/reads/record-view.ts";
import type { DashboardDeps } from "../deps.ts";
import { lines, page, type Line, type Markup } from "../layout.ts";
import { observationLine } from "../now.ts";
import { joined, projectName, whenText } from "../words.ts";

const rowsMax = 200;

/** All sessions that this device knows, newest first. */
export function sessionsPage({ memory }: DashboardDeps): Markup {
  const rows = memory.store.reads.records(collections.session).slice(0, rowsMax).map(lineOf);
  return page("Sessions", "/sessions", lines(rows, "No session was captured yet."));
}

/** One session: what it left, and its events in order; undefined where nothing is known of it. */
export function sessionPage({ memory }: DashboardDeps, id: string): Markup | undefined {
  const { reads, sessions } = memory.store;
  const found = reads.find(id, { collection: collections.session });
  const events = sessions.events(id);
  if (!found.ok && events.length === 0) return undefined;
  const line = found.ok ? lineOf(found.value) : { title: id, meta: "" };
  const observations = reads.list({ session: id, includeHidden: true });
  const left = observations.map(observationLine);
  const told = found.ok ? retrospectiveOf(found.value.fields, observations) : undefined;
  return page(
    line.title,
    "/sessions",
    html`<p class="meta">${line.meta}</p>
      ${told === undefined ? "" : retrospectiveParts(told)}
      <h2>What it left</h2>
      ${lines(left, "No observation.")}
      <h2>What happened</h2>
      ${
        events.length === 0
          ? lines([], "Its events are kept on the device where it ran, for a while.")
          : html`<ul class="rows">
              ${events.map(eventOf)}
            </ul>`
      }`,
  );
}

/** What the session was for and what came of it; parts of which there is nothing to tell are left out. */
function retrospectiveParts(told: Retrospective): readonly Markup[] {
  const parts = [
    ["Asked for", told.request === undefined ? [] : [told.request]],
    ["Looked into", told.investigated],
    ["Learned", told.learned],
    ["Completed", told.completed],
    ["Next", told.nextSteps],
  ] as const;
  return parts.flatMap(([name, items]) =>
    items.length === 0
      ? []
      : [
          html`<h2>${name}</h2>
            <ul>
              ${items.map((item) => html`<li>${item}</li>`)}
            </ul>`,
        ],
  );
}

function eventOf({ payload, atMs }: AgentEventEntry): Markup {
  return html`<li>
    <span class="row">${headOf(payload)}</span>
    <p class="when">${whenText(atMs)}</p>
    <details>
      <summary>all of it</summary>
      <pre tabindex="0">${JSON.stringify(payload, undefined, 2)}</pre>
    </details>
  </li>`;
}

function headOf(payload: JsonValue): string {
  if (!isObject(payload)) return "event";
  const text = (name: string): string => {
    const value = payload[name];
    return typeof value === "string" ? value : "";
  };
  const tool = payload["tool"];
  const named = isObject(tool) && typeof tool["name"] === "string" ? tool["name"] : "";
  const words = text("prompt") || text("assistant") || text("error");
  return joined(text("event"), named, words.slice(0, 300));
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
