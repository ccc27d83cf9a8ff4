import type { JsonValue, Sha256 } from "@tidemark/protocol";
import { html, raw } from "hono/html";
import { eventHead } from "../../../../memory/event-head.ts";
import { retrospectiveOf, retrospectiveParts } from "../../../../memory/retrospective.ts";
import { dateText } from "../../../../platform/date-text.ts";
import { safeLines } from "../../../../platform/terminal.ts";
import type { Observation } from "../../../../store/observation.ts";
import type { AgentEventEntry } from "../../../../store/session-log.ts";
import type { RecordView } from "../../../../store/store.ts";
import type { Names } from "../../render/observation.ts";
import { styleText } from "./style.ts";

type Markup = ReturnType<typeof html>;

/** All that this device knows of one session. */
export interface SessionParts {
  readonly id: string;
  readonly record: RecordView | undefined;
  readonly observations: readonly Observation[];
  readonly events: readonly AgentEventEntry[];
  readonly names: Names;
}

/**
 * A session as one HTML document that needs nothing else. Text is text, without characters that turn
 * or hide what a reader sees. Its policy lets in its own style, by hash, and nothing besides: no
 * script, no picture, no form, no other address (TM4).
 */
export async function sessionDocument(parts: SessionParts, sha256: Sha256): Promise<string> {
  const styleHash = Buffer.from(sha256(styleText)).toString("base64");
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;
  const title = textOf(parts.record?.fields["title"]) || parts.id;
  // Put together here: the hash is of what stands between the tags, to the byte.
  const style = raw(`<style>${styleText}</style>`);
  const document = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${safeLines(title)} · Tidemark</title>
        ${style}
      </head>
      <body>
        <main>
          <h1>${safeLines(title)}</h1>
          ${about(parts)} ${outcome(parts)}
          <h2>What it left</h2>
          ${parts.observations.length === 0 ? html`<p class="meta">No observation.</p>` : parts.observations.map(observation)}
          <h2>What happened</h2>
          ${
            parts.events.length === 0
              ? html`<p class="meta">
                  Its events are kept on the device where it ran, for a while.
                </p>`
              : html`<ol>
                  ${parts.events.map(event)}
                </ol>`
          }
        </main>
      </body>
    </html> `;
  return document.toString();
}

function about({ id, record, names }: SessionParts): Markup {
  const fields = record?.fields ?? {};
  const facts = [
    ["Session", id],
    ["Agent", textOf(fields["agent"])],
    ["Project", textOf(fields["project"])],
    ["Namespace", record === undefined ? "" : names.namespace(record.namespace)],
    ["Device", record?.author.device ?? ""],
    ["Person", record?.author.user ?? ""],
    ["Began", record === undefined ? "" : dateText(record.createdAtMs)],
  ].filter(([, value]) => value !== "");
  return html`<dl>
    ${facts.map(
      ([name = "", value = ""]) =>
        html`<dt>${name}</dt>
          <dd>${safeLines(value)}</dd>`,
    )}
  </dl>`;
}

function outcome({ record, observations }: SessionParts): readonly Markup[] {
  if (record === undefined) return [];
  return retrospectiveParts(retrospectiveOf(record.fields, observations)).map(
    ({ name, items }) =>
      html`<h2>${name}</h2>
        <ul>
          ${items.map((item) => html`<li>${safeLines(item)}</li>`)}
        </ul>`,
  );
}

function observation(one: Observation): Markup {
  const marks = [
    one.kind,
    one.pinned ? "pinned" : "",
    one.archived ? "archived" : "",
    one.supersededBy === null ? "" : "superseded",
    `trust ${one.trust}`,
    dateText(one.createdAt),
  ].filter((mark) => mark !== "");
  const files = [...new Set([...one.filesModified, ...one.filesRead])];
  return html`<article>
    <h3>${safeLines(one.title)}</h3>
    <p class="meta">${marks.join(" · ")}</p>
    ${one.narrative === "" ? "" : html`<p class="prose">${safeLines(one.narrative)}</p>`}
    ${listed("Facts", one.facts)}${listed("Files", files)}${listed("Concepts", one.concepts)}
  </article>`;
}

function listed(name: string, items: readonly string[]): Markup | "" {
  if (items.length === 0) return "";
  return html`<h4>${name}</h4>
    <ul>
      ${items.map((item) => html`<li>${safeLines(item)}</li>`)}
    </ul>`;
}

function event({ payload, atMs }: AgentEventEntry): Markup {
  return html`<li>
    <p>${safeLines(eventHead(payload))}</p>
    <p class="meta">${dateText(atMs)}</p>
    <details>
      <summary>all of it</summary>
      <pre tabindex="0">${safeLines(JSON.stringify(payload, undefined, 2))}</pre>
    </details>
  </li>`;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
