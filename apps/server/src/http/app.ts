import { fail, ok, type Result } from "@tidemark/protocol";
import { Hono, type Context } from "hono";
import { addConsole } from "../console/add-console.tsx";
import { serverLimits } from "../limits.ts";
import type { DeviceRow } from "../store/accounts-port.ts";
import type { AppDeps } from "./app-deps.ts";
import type { AppEnv, DeviceCall, Intake, Opening } from "./app-env.ts";
import { readBody, type BodyError } from "./body.ts";
import type { Content } from "./body-content.ts";
import { createBegin } from "./handlers.ts";
import { isBodyOf } from "./body-hash.ts";
import { createAuthenticate, type Authenticate } from "./middleware/authenticate.ts";
import { watchForwarded } from "./middleware/forwarded.ts";
import { nonceAnswers } from "./middleware/nonce.ts";
import { observeAnswers } from "./middleware/observe.ts";
import { versionError } from "./middleware/protocol-version.ts";
import { rateDelayMs } from "./middleware/rate.ts";
import { secureAnswers } from "./middleware/security-headers.ts";
import { createParts, type Parts } from "./parts.ts";
import { createErrorHandler, problem } from "./problem.ts";
import { routeTable, type RouteName, type RouteRule } from "./route-table.ts";

/** The server's HTTP application. */
export interface App {
  /** Answers a request; the second argument is Node's, where there is one. */
  fetch(request: Request, env?: AppEnv["Bindings"]): Promise<Response>;
  /** Answers 503 at `/readyz`, so that load balancers look elsewhere. */
  drain(): void;
  /** How many streams of pokes are open. */
  streams(): number;
  /** Ends all streams of pokes and every timer. */
  close(): void;
}

/** How often a silent stream of pokes says that it lives, in milliseconds. */
export const { pingEveryMs } = serverLimits.pokes;
/** How often codes that nobody used are put away, in milliseconds. */
export const sweepEveryMs = 60_000;
/** How often machines that have been silent for a day are put away, in milliseconds. */
export const expireEveryMs = 600_000;

/** Makes the application from the route table; each route passes the same checks in one order. */
export function createApp(deps: AppDeps): App {
  const parts = createParts(deps);
  const hono = new Hono<AppEnv>();
  hono.use("*", observeAnswers(deps));
  hono.use("*", secureAnswers(deps));
  hono.use("*", watchForwarded(deps));
  hono.use("*", nonceAnswers(parts));
  addRoutes(hono, parts);
  addConsole(hono, parts);
  hono.notFound(async (c) => {
    const isClaimed = await parts.claim.isClaimed();
    return problem(c, isClaimed ? "not-found" : "setup-required");
  });
  hono.onError(createErrorHandler(deps.log));
  const stopPings = deps.timers.every(pingEveryMs, () => {
    parts.pokes.ping();
  });
  const stopSweeps = deps.timers.every(sweepEveryMs, () => void sweep(parts));
  const stopExpiry = deps.timers.every(expireEveryMs, () => void expire(parts));
  return {
    fetch: async (request, env) => await hono.fetch(request, env),
    streams: () => parts.pokes.count(),
    drain: () => {
      parts.isReady = false;
    },
    close: () => {
      parts.isReady = false;
      parts.watch.stop();
      stopPings();
      stopSweeps();
      stopExpiry();
      parts.polls.close();
      parts.pokes.close();
    },
  };
}

async function sweep(parts: Parts): Promise<void> {
  if (!parts.polls.isDue()) return;
  try {
    await parts.accounts.sweepPairings(parts.clock.nowMs());
  } catch (cause) {
    // The next start of a pairing sweeps too.
    parts.log.warn("sweep-failed", { name: cause instanceof Error ? cause.name : "unknown" });
  }
}

/** A machine is refused from the moment on that its day is over; this writes it down (PR17). */
async function expire(parts: Parts): Promise<void> {
  try {
    const gone = await parts.accounts.expireMachines(parts.clock.nowMs());
    for (const device of gone) parts.endStreams(device);
    if (gone.length > 0) parts.log.info("machines-expired", { devices: gone.length });
  } catch (cause) {
    // The next round does it.
    parts.log.warn("expire-failed", { name: cause instanceof Error ? cause.name : "unknown" });
  }
}

function addRoutes(hono: Hono<AppEnv>, parts: Parts): void {
  const begin = createBegin(parts);
  const authenticate = createAuthenticate(parts);
  for (const name of Object.keys(routeTable) as RouteName[]) {
    const rule: RouteRule = routeTable[name];
    hono.on(rule.method, rule.path, async (c) => {
      c.set("route", name);
      const admitted = await admit({ parts, authenticate, name, rule }, c);
      if (admitted instanceof Response) return admitted;
      const { device } = admitted;
      // The table's type has made sure that what needs a device gets one.
      const intake = begin(name, { c, device } as Opening);
      const body = await provenBody({ parts, rule }, c, { ...admitted, intake });
      if (!body.ok) {
        intake.drop?.();
        return problem(c, body.error);
      }
      const { text, lines } = body.value;
      return await intake.answer({ c, body: text, lines, device } as DeviceCall);
    });
  }
}

interface Gate {
  readonly parts: Parts;
  readonly authenticate: Authenticate;
  readonly name: RouteName;
  readonly rule: RouteRule;
}

/** Who calls, and what their proof says of the body. */
interface Admitted {
  readonly device: DeviceRow | undefined;
  readonly bodyHash: string | undefined;
}

/** The checks before the body, cheapest first: method, claim, rate, version, device (WR17). */
async function admit(gate: Gate, c: Context<AppEnv>): Promise<Admitted | Response> {
  const { parts, rule, name } = gate;
  if (c.req.method !== rule.method) return problem(c, "not-found");
  if (!rule.beforeClaim && !(await parts.claim.isClaimed())) return problem(c, "setup-required");
  const rated = { route: name, rates: rule.rates, device: undefined };
  const delayMs = rateDelayMs(parts, c, rated);
  if (delayMs > 0) return problem(c, "rate-limited", { retryAfterMs: delayMs });
  const wrongVersion = rule.anyVersion ? undefined : versionError(c);
  if (wrongVersion !== undefined) return problem(c, wrongVersion);
  const refused: { answer?: Response | undefined } = {};
  const caller = await gate.authenticate(c, rule, (known) => {
    c.set("device", known.id);
    refused.answer = refuseDevice(gate, c, known);
    return refused.answer === undefined;
  });
  if (refused.answer !== undefined) return refused.answer;
  if (!caller.ok) return problem(c, caller.error);
  return { device: caller.value?.device, bodyHash: caller.value?.bodyHash };
}

/**
 * The body, where it is the one that the proof was signed for (AU18). What takes lines is told them
 * while they come, where there is room for that, else once all are there.
 */
async function provenBody(
  { parts, rule }: Pick<Gate, "parts" | "rule">,
  c: Context<AppEnv>,
  { device, bodyHash, intake: { onLines } }: Admitted & { readonly intake: Intake },
): Promise<Result<Content, BodyError | "body-changed">> {
  if (rule.body === null) return ok({ text: "", lines: [] });
  const leave = onLines && device && parts.readAhead.enter(device.id);
  try {
    const body = await readBody(parts, c, rule.body, leave && onLines);
    if (!body.ok) return body;
    if (!isBodyOf(parts, bodyHash, body.value.sent)) return fail("body-changed");
    if (leave === undefined) onLines?.(body.value.lines);
    return body;
  } finally {
    leave?.();
  }
}

/** What a device may not call at all, or not now. */
function refuseDevice(
  { parts, rule, name: route }: Gate,
  c: Context<AppEnv>,
  device: DeviceRow,
): Response | undefined {
  if (rule.auth === "person" && device.kind === "ci") return problem(c, "device-limited");
  const delayMs = rateDelayMs(parts, c, { route, rates: rule.rates, device });
  return delayMs > 0 ? problem(c, "rate-limited", { retryAfterMs: delayMs }) : undefined;
}
