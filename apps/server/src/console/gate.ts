import { fail, ok, type Result } from "@tidemark/protocol";
import type { Context } from "hono";
import { secretHash } from "../auth/link-secrets.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readBody } from "../http/body.ts";
import { callerAddress, callerNetwork } from "../http/caller.ts";
import { networkOf } from "../http/network-of.ts";
import type { Parts } from "../http/parts.ts";
import { serverLimits } from "../limits.ts";
import type { ConsoleSession } from "../store/console-port.ts";
import type { PageName, PageRule } from "./page-table.ts";
import { cookieOf, placeOf, type NoPlace, type Place } from "./place.ts";
import type { OwnVisit, Visit } from "./visit.ts";

const { freshMs, formBytesMax } = serverLimits.console;
const { ratesByDevice, ratesByNetwork } = serverLimits;

/** Why a browser is not let to a page. */
export type Refusal =
  | { readonly kind: NoPlace | "unclaimed" | "foreign-form" | "signed-out" | "bad-form" }
  | { readonly kind: "too-fast"; readonly retryAfterMs: number }
  | { readonly kind: "not-fresh"; readonly visit: OwnVisit };

/** The checks before any work, cheapest first: host, claim, rate, origin, session, form (CO3, CO6). */
export async function admitVisit(
  parts: Parts,
  c: Context<AppEnv>,
  { name, rule }: { readonly name: PageName; readonly rule: PageRule },
): Promise<Result<Visit | OwnVisit, Refusal>> {
  const place = placeOf(parts.publicUrls, c.req.header("host") ?? new URL(c.req.url).host);
  if (typeof place === "string") return fail({ kind: place });
  if (!(await parts.claim.isClaimed())) return fail({ kind: "unclaimed" });
  const slow = delayMs(parts, c, { name, rule });
  if (slow > 0) return fail({ kind: "too-fast", retryAfterMs: slow });
  if (!isOwn(c, place, rule)) return fail({ kind: "foreign-form" });
  const nowMs = parts.clock.nowMs();
  const visit = { c, parts, place, nowMs, network: callerNetwork(parts, c) };
  if (rule.who === "anybody") {
    const form = await formOf(parts, c, rule);
    return form === undefined ? fail({ kind: "bad-form" }) : ok({ ...visit, form });
  }
  return await admitOwn(visit, { name, rule });
}

async function admitOwn(
  visit: Omit<Visit, "form">,
  { name, rule }: { readonly name: PageName; readonly rule: PageRule },
): Promise<Result<OwnVisit, Refusal>> {
  const { parts, c, nowMs, place } = visit;
  const secret = cookieOf(c.req.header("cookie"), place.cookieName);
  if (secret === undefined) return fail({ kind: "signed-out" });
  const session = await parts.accounts.consoleSession(secretHash(parts, secret), nowMs);
  if (session === undefined || !isVouchedFor(parts, session)) return fail({ kind: "signed-out" });
  const slow = delayMs(parts, c, { name, rule, device: session.device.id });
  if (slow > 0) return fail({ kind: "too-fast", retryAfterMs: slow });
  const csrf = csrfOf(parts, secret);
  const form = await formOf(parts, c, rule);
  if (form === undefined) return fail({ kind: "bad-form" });
  const own = { ...visit, form, session, csrf };
  if (rule.method === "POST" && !parts.isSameSecret(form.get("csrf") ?? "", csrf)) {
    return fail({ kind: "foreign-form" });
  }
  const isFresh = nowMs - session.madeAtMs <= freshMs;
  return rule.who === "fresh" && !isFresh ? fail({ kind: "not-fresh", visit: own }) : ok(own);
}

/** What rests on a provider's word ends where the server is told of that provider no more (CO12). */
function isVouchedFor(parts: Parts, { issuer }: ConsoleSession): boolean {
  return issuer === undefined || issuer === parts.oidc?.issuer;
}

/** Bound to the session: whoever cannot read its pages cannot make its forms (CO3). */
export function csrfOf(parts: Pick<Parts, "sha256">, secret: string): string {
  return secretHash(parts, `csrf ${secret}`);
}

/** A form comes from a page of ours; what browsers say of that is asked before anything else. */
function isOwn(c: Context<AppEnv>, place: Place, rule: PageRule): boolean {
  const site = c.req.header("sec-fetch-site");
  if (rule.method === "GET") return true;
  const isSameSite = site === undefined || site === "same-origin";
  return isSameSite && c.req.header("origin") === place.origin;
}

async function formOf(
  parts: Parts,
  c: Context<AppEnv>,
  rule: PageRule,
): Promise<URLSearchParams | undefined> {
  if (rule.method === "GET") return new URLSearchParams();
  const body = await readBody(parts, c, { media: "form", bytesMax: formBytesMax });
  return body.ok ? new URLSearchParams(body.value.text) : undefined;
}

function delayMs(
  parts: Parts,
  c: Context<AppEnv>,
  asked: { readonly name: PageName; readonly rule: PageRule; readonly device?: string },
): number {
  const { name, rule, device } = asked;
  if (device !== undefined) {
    const perMinute = rule.rate in ratesByDevice ? ratesByDevice[rule.rate as "read"] : undefined;
    return perMinute === undefined ? 0 : parts.rates.take(`console ${name} ${device}`, perMinute);
  }
  const rate = rule.rate === "consoleEnter" ? "consoleEnter" : "console";
  const network = networkOf(callerAddress(parts, c));
  return parts.rates.take(`${rate} ${network}`, ratesByNetwork[rate]);
}
