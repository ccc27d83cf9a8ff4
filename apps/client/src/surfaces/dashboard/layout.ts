import { html } from "hono/html";

/** Text that is markup already; every value put into it was escaped. */
export type Markup = ReturnType<typeof html>;

/** One line of a list. */
export interface Line {
  readonly href?: string;
  readonly title: string;
  readonly meta: string;
}

const places = [
  ["/", "Now"],
  ["/memory", "Memory"],
  ["/sessions", "Sessions"],
  ["/map", "Map"],
  ["/given", "Given"],
  ["/handoffs", "Handoffs"],
  ["/conflicts", "Conflicts"],
] as const;

/** A whole page. */
export function page(title: string, here: string, body: Markup): Markup {
  const links = places.map(
    ([href, name]) =>
      html`<a href="${href}" ${href === here ? html`aria-current="page"` : ""}>${name}</a>`,
  );
  return document(
    title,
    html`<header class="bar">
        <div>
          <a class="name" href="/">Tidemark</a>
          <nav aria-label="Pages">${links}</nav>
        </div>
      </header>
      <main>
        <h1>${title}</h1>
        ${body}
      </main>`,
  );
}

/** A page for whoever has not come in. */
export function entryPage(): Markup {
  return document(
    "Tidemark",
    html`<main>
      <h1>Tidemark</h1>
      <p data-enter>Open the link that <code>tidemark dashboard</code> printed.</p>
    </main>`,
  );
}

function document(title: string, body: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Tidemark</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/dashboard.css" />
        <script src="/dashboard.js" defer></script>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

/** A list of lines; `none` where there are none. */
export function lines(rows: readonly Line[], none: string, id?: string): Markup {
  const shown = rows.length === 0 ? [{ title: none, meta: "" }] : rows;
  return html`<ul class="rows" ${id === undefined ? "" : html`id="${id}"`}>
    ${shown.map(lineOf)}
  </ul>`;
}

function lineOf({ href, title, meta }: Line): Markup {
  const head =
    href === undefined
      ? html`<span class="row">${title}</span>`
      : html`<a class="row" href="${href}">${title}</a>`;
  return html`<li>${head}${meta === "" ? "" : html`<p class="meta">${meta}</p>`}</li>`;
}
