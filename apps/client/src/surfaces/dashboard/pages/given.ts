import { collections, type RecordId } from "@tidemark/protocol";
import { html } from "hono/html";
import type { Giving } from "../../../store/session-log.ts";
import type { DashboardDeps } from "../deps.ts";
import { lines, page, type Line, type Markup } from "../layout.ts";
import { counted, joined, whenText } from "../words.ts";

const givingsMax = 30;
const barWidth = 600;
const barHeight = 12;

/** What sessions were given last, and what of which budget it took (DA8). */
export function givenPage(deps: DashboardDeps): Markup {
  const all = deps.memory.store.sessions.givings(givingsMax);
  if (all.length === 0) {
    return page("Given", "/given", lines([], "No session was given anything yet."));
  }
  return page(
    "Given",
    "/given",
    html`<p class="meta">
        What agents were given of memory, the last first, and how much of its budget it took. Tokens
        are estimated, never too low.
      </p>
      ${all.map((one) => givingPart(deps, one))}`,
  );
}

function givingPart({ memory }: DashboardDeps, giving: Giving): Markup {
  const { session, atMs, tokens, tokensMax, items } = giving;
  const { reads } = memory.store;
  const found = reads.find(session, { collection: collections.session });
  const title = found.ok ? found.value.fields["title"] : undefined;
  const name = typeof title === "string" && title !== "" ? title : session;
  const frame = Math.max(0, tokens - items.reduce((sum, item) => sum + item.tokens, 0));
  const rows = items.map((item): Line => itemLine(reads, item));
  const around = { title: "What frames them: fence, header, footer", meta: spent(frame) };
  return html`<section>
    <h2><a href="/sessions/${encodeURIComponent(session)}">${name}</a></h2>
    <p class="meta">
      ${joined(whenText(atMs), `${spent(tokens)} of ${spent(tokensMax)}`, counted(items.length, "observation"))}
    </p>
    ${bar(giving, frame)}
    <details>
      <summary>What it was given</summary>
      ${lines(frame === 0 ? rows : [...rows, around], "")}
    </details>
  </section>`;
}

function itemLine(
  reads: DashboardDeps["memory"]["store"]["reads"],
  { id, tokens }: { readonly id: RecordId; readonly tokens: number },
): Line {
  const found = reads.find(id);
  const one = found.ok ? reads.observation(found.value.namespace, id) : undefined;
  const meta = joined(one?.kind ?? "", spent(tokens));
  if (one !== undefined) return { href: `/memory/${id}`, title: one.title, meta };
  return { title: found.ok ? "A handoff, or the session's own digest" : "Forgotten since", meta };
}

/** The budget as a bar: a part for each item, one for the frame, the rest is what was left. */
function bar({ tokens, tokensMax, items }: Giving, frame: number): Markup {
  const scale = barWidth / Math.max(tokens, tokensMax, 1);
  let x = 0;
  const parts = [...items.map((item) => item.tokens), frame].map((each, place) => {
    const width = each * scale;
    const kind = place === items.length ? "frame" : "part";
    const drawn = html`<rect
      class="${kind}"
      x="${x.toFixed(1)}"
      y="0"
      width="${Math.max(0, width - 1).toFixed(1)}"
      height="${barHeight}"
    ></rect>`;
    x += width;
    return drawn;
  });
  const told = `${tokens} of ${tokensMax} tokens`;
  return html`<svg
    class="budget"
    role="img"
    aria-label="${told}"
    viewBox="0 0 ${barWidth} ${barHeight}"
    preserveAspectRatio="none"
  >
    <rect class="room" x="0" y="0" width="${barWidth}" height="${barHeight}"></rect>
    ${parts}
  </svg>`;
}

function spent(tokens: number): string {
  return counted(tokens, "token");
}
