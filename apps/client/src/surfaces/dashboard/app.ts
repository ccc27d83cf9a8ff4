import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import { HTTPException } from "hono/http-exception";
import { streamSSE } from "hono/streaming";
import { explain } from "../../memory/explain.ts";
import { resolveConflict } from "../../memory/resolve.ts";
import { pause } from "../../sync/ports.ts";
import { storeErrorOf } from "../../store/store-error.ts";
import { UserError } from "../../wiring/user-error.ts";
import type { DashboardDeps } from "./deps.ts";
import { refusalOf } from "./door.ts";
import { entryPage, lines, page, type Markup } from "./layout.ts";
import { nowLists } from "./now.ts";
import { givenPage } from "./pages/given.ts";
import { mapPage } from "./pages/map.ts";
import { memoryPage, observationPage } from "./pages/memory.ts";
import { sessionPage, sessionsPage } from "./pages/sessions.ts";
import { conflictsPage, handoffsPage, standsMark } from "./pages/work.ts";
import { scriptText } from "./script.ts";
import { styleText } from "./style.ts";

const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** How often a page that is open is told what changed, in milliseconds. */
const lookMs = 1_000;

/** Largest form, in bytes. */
const formBytesMax = 4_096;

/** The dashboard, as an answer to requests; binds nothing. */
export function createDashboard(deps: DashboardDeps): Hono {
  const app = new Hono();
  guard(app, deps);
  app.get("/", (context) => send(context, nowPage(deps)));
  app.get("/live", (context) => live(context, deps));
  app.get("/memory", async (context) => {
    const shown = await memoryPage(deps, {
      words: context.req.query("q") ?? "",
      kind: context.req.query("kind") ?? "",
      includeHidden: context.req.query("hidden") === "1",
      offset: offsetOf(context.req.query("from")),
    });
    return send(context, shown);
  });
  app.get("/memory/:id", (context) =>
    send(context, observationPage(deps, context.req.param("id"), context.req.query("in"))),
  );
  app.get("/sessions", (context) =>
    send(context, sessionsPage(deps, offsetOf(context.req.query("from")))),
  );
  app.get("/sessions/:id", (context) => send(context, sessionPage(deps, context.req.param("id"))));
  app.get("/map", (context) => {
    const asked = (name: string): string => context.req.query(name) ?? "";
    const scope = {
      project: asked("project"),
      path: asked("path"),
      period: asked("period"),
      kind: asked("kind"),
      skip: offsetOf(context.req.query("skip")),
    };
    return send(context, mapPage(deps, scope));
  });
  app.get("/given", (context) => send(context, givenPage(deps)));
  app.get("/handoffs", (context) => send(context, handoffsPage(deps)));
  app.get("/conflicts", (context) =>
    send(context, conflictsPage(deps, offsetOf(context.req.query("from")))),
  );
  app.post("/conflicts/:id", async (context) => {
    const { keep, stands } = await context.req.parseBody();
    if (keep !== "current" && keep !== "losing") return context.text("which value?", 400);
    // A value is scrubbed by what was set since the start as well (DA22).
    deps.home.followSettings();
    const done = resolveConflict(deps.memory, context.req.param("id"), { keep }, (current) =>
      // A page may have been open for hours, and others write meanwhile.
      typeof stands !== "string" ? true : stands === standsMark(current),
    );
    // An open page shows what was settled elsewhere meanwhile: that is done (DA6).
    if (!done.ok && done.error.kind !== "forgotten") {
      const { message, hint } = explain(done.error);
      return context.text(`not settled: ${message}\n${hint}`, 409);
    }
    return context.redirect("/conflicts", 303);
  });
  app.onError((cause, context) => troubleAnswer(context, cause));
  app.notFound((context) => send(context, undefined));
  return app;
}

/** Nothing but the way in is answered before host, origin and cookie were looked at (DA1, DA2). */
function guard(app: Hono, { door, address }: DashboardDeps): void {
  const cookieName = `tidemark-${address.split(":")[1] ?? ""}`;
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    const { method } = context.req;
    const refused = refusalOf({ method, header: (name) => context.req.header(name) }, address);
    if (refused !== undefined) return context.body(null, refused);
    return await next();
  });
  app.use(bodyLimit({ maxSize: formBytesMax }));
  app.get("/dashboard.css", (context) =>
    context.body(styleText, 200, { "content-type": "text/css; charset=utf-8" }),
  );
  app.get("/dashboard.js", (context) =>
    context.body(scriptText, 200, { "content-type": "text/javascript; charset=utf-8" }),
  );
  app.post("/enter", async (context) => {
    const body: unknown = await context.req.json().catch(() => undefined);
    const cookie = door.enter(tokenOf(body));
    if (cookie === undefined) return context.body(null, 401);
    setCookie(context, cookieName, cookie, { httpOnly: true, sameSite: "Strict", path: "/" });
    return context.body(null, 204);
  });
  app.use(async (context, next) => {
    if (door.knows(getCookie(context, cookieName))) return await next();
    // The way in holds nothing of anybody's, and is what the link opens.
    return context.html(entryPage(), context.req.path === "/" ? 200 : 401);
  });
}

function tokenOf(body: unknown): string {
  if (typeof body !== "object" || body === null || !("token" in body)) return "";
  return typeof body.token === "string" ? body.token : "";
}

function nowPage(deps: DashboardDeps): Markup {
  const lists = nowLists(deps).map(
    ({ id, title, rows, none }) =>
      html`<section>
        <h2>${title}</h2>
        ${lines(rows, none, id)}
      </section>`,
  );
  return page(
    "Now",
    "/",
    html`<p class="meta" data-live>
        <span data-state role="status">as of the start of this page</span>
      </p>
      ${lists}`,
  );
}

/** Sends the lists of the first page whenever they differ, until either side ends. */
function live(context: Context, deps: DashboardDeps): Response {
  return streamSSE(
    context,
    async (stream) => {
      const left = new AbortController();
      stream.onAbort(() => {
        left.abort();
      });
      const signal = AbortSignal.any([deps.signal, left.signal]);
      let sent = "";
      while (!signal.aborted) {
        deps.seen();
        const text = JSON.stringify(nowLists(deps));
        if (text !== sent) await stream.writeSSE({ event: "now", data: text });
        sent = text;
        await pause(deps.timers, lookMs, signal);
      }
    },
    async (_error, stream) => {
      await stream.close();
    },
  );
}

function send(context: Context, markup: Markup | undefined): Response | Promise<Response> {
  if (markup !== undefined) return context.html(markup);
  const body = html`<p>
    Nothing is here, or it was forgotten. <a href="/">See what there is</a>.
  </p>`;
  return context.html(page("Not found", "", body), 404);
}

/** What keeps a page or a change from being made, in words (DA23); a bug is told as one, and no more. */
function troubleAnswer(context: Context, cause: unknown): Response | Promise<Response> {
  if (cause instanceof HTTPException) return cause.getResponse();
  const known = cause instanceof UserError ? cause : storeErrorOf(cause);
  const { message, hint } = known ?? broken;
  const body = html`<p role="alert">${message}.</p>
    <p>${hint}</p>`;
  return context.html(page("Not done", "", body), known === undefined ? 500 : 503);
}

const broken = {
  message: "This page could not be made, by a fault of the program",
  hint: "Try again, and start `tidemark dashboard` again where that does not help; `tidemark doctor` looks for the cause.",
} as const;

function offsetOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,7}$/u.test(text) ? Number(text) : 0;
}
