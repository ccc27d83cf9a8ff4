import type { Context, Hono } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../http/app-env.ts";
import type { Parts } from "../http/parts.ts";
import { failureCode } from "../http/problem.ts";
import { admitVisit, type Refusal } from "./gate.ts";
import { pageTable, type PageName, type PageRule } from "./page-table.ts";
import { createPages } from "./pages.ts";
import { failureOf, Notice, notFresh, refusalOf, type RefusalText } from "./pages/refusals.tsx";
import { Door, Page, type Theme } from "./parts/shell.tsx";
import { cookieOf } from "./place.ts";
import { doneText } from "./done.ts";
import type { OwnVisit, PageAnswer, Visit } from "./visit.ts";

/** A page that can be written out. */
interface HtmlPage {
  toString(): string | Promise<string>;
}

/** What pages may load and do: their own style and script, forms to us, and nothing else (CO7). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Adds the console's pages, each behind the same checks in one order (CO4). */
export function addConsole(hono: Hono<AppEnv>, parts: Parts): void {
  const pages = createPages();
  for (const name of Object.keys(pageTable) as PageName[]) {
    const rule: PageRule = pageTable[name];
    // The table's type has made sure that a page which needs a session gets one.
    const answer = pages[name] as (visit: Visit) => PageAnswer | Promise<PageAnswer>;
    const work = async (c: Context<AppEnv>): Promise<Response> => {
      if (c.req.method !== rule.method) return await refused(c, parts, { kind: "bad-form" });
      const visit = await admitVisit(parts, c, { name, rule });
      if (!visit.ok) {
        parts.log.info("page-refused", {
          page: name,
          reason: visit.error.kind,
          requestId: c.get("requestId"),
        });
        return await refused(c, parts, visit.error);
      }
      return await answered(c, visit.value, await answer(visit.value));
    };
    hono.on(rule.method, rule.path, async (c) => {
      try {
        return await work(c);
      } catch (cause) {
        return await failed(c, parts, cause);
      }
    });
  }
}

async function answered(
  c: Context<AppEnv>,
  visit: Visit | OwnVisit | undefined,
  answer: PageAnswer,
): Promise<Response> {
  if (answer.kind === "ready") return answer.response;
  if (answer.kind === "go") {
    c.header("Content-Security-Policy", policy);
    return c.redirect(answer.to, 303);
  }
  const theme = themeOf(c);
  const { title, lede, body, status = 200 } = answer;
  const page =
    visit !== undefined && "session" in visit ? (
      <Page visit={visit} title={title} lede={lede} theme={theme} said={doneText(c)}>
        {body}
      </Page>
    ) : (
      <Door title={title} theme={theme}>
        {body}
      </Door>
    );
  return await html(c, page, status);
}

async function refused(c: Context<AppEnv>, parts: Parts, refusal: Refusal): Promise<Response> {
  if (refusal.kind === "not-fresh")
    return await answered(c, refusal.visit, notFresh(refusal.visit));
  // The address of the door is no error: browsers tell people of one.
  if (refusal.kind === "signed-out" && c.req.method === "GET") {
    return await answered(c, undefined, { kind: "go", to: "/console/enter" });
  }
  if (refusal.kind === "too-fast") {
    c.header("Retry-After", String(Math.ceil(refusal.retryAfterMs / 1000)));
  }
  return await told(c, refusalOf(refusal, parts.publicUrls));
}

/** What went wrong on the way is a page too: a browser shows people whatever it gets (OPS121). */
async function failed(c: Context<AppEnv>, parts: Parts, cause: unknown): Promise<Response> {
  const code = failureCode(parts.log, c, cause);
  c.set("code", code);
  const isForm = c.req.method === "POST";
  return await told(c, failureOf({ code, isForm, requestId: c.get("requestId") }));
}

async function told(c: Context<AppEnv>, text: RefusalText): Promise<Response> {
  const { title, status, lines, command } = text;
  const page = (
    <Door title={title} theme={themeOf(c)}>
      <Notice lines={lines} command={command} />
    </Door>
  );
  return await html(c, page, status);
}

async function html(c: Context<AppEnv>, page: HtmlPage, status: StatusCode): Promise<Response> {
  c.header("Content-Security-Policy", policy);
  // Without a referrer browsers would call the origin of our own forms `null` (CO3).
  c.header("Referrer-Policy", "same-origin");
  c.header("Cross-Origin-Opener-Policy", "same-origin");
  c.header("Content-Type", "text/html; charset=utf-8");
  return c.newResponse(`<!DOCTYPE html>${await page.toString()}`, { status });
}

function themeOf(c: Context<AppEnv>): Theme {
  const chosen = cookieOf(c.req.header("cookie"), "tidemark-theme");
  return chosen === "dark" || chosen === "light" ? chosen : undefined;
}
