import type { Answered } from "../http/middleware/observe.ts";
import type { Config } from "../config/config.ts";
import { createServerMetrics, type ServerMetrics } from "../metrics/server-metrics.ts";
import { listen, type HttpServer } from "../platform/http-server.ts";
import { monotonicMs, processUsage } from "../platform/process-usage.ts";
import { poolSizePreset } from "../store/postgres/pool-size.ts";
import type { Store } from "../store/port.ts";
import { version } from "../version.ts";
import type { CommandDeps } from "./command-deps.ts";
import { listenError } from "./listen-error.ts";
import { quotaOf } from "./quota-of.ts";
import { UserError } from "./user-error.ts";

/** What Prometheus calls the format. */
const textType = "text/plain; version=0.0.4; charset=utf-8";

/** Who is told of the server's answers. */
export function createObserver(config: Config, metrics: ServerMetrics) {
  return {
    nowMs: monotonicMs,
    answered: (answer: Answered) => {
      metrics.answered(answer);
    },
    isLogged: config.logRequests === "all",
  };
}

/** Counts from the start on, whether anybody asks or not. */
export function createMetrics(config: Config): ServerMetrics {
  return createServerMetrics({
    version,
    quota: quotaOf(config),
    connectionsMax: poolSizePreset,
  });
}

/**
 * Serves the metrics on an address of their own, where a setting names one (OPS85): they say how
 * much a company remembers and when, so the port that devices reach never has them.
 */
export async function openMetrics(
  deps: Pick<CommandDeps, "timers">,
  config: Config,
  sources: {
    readonly metrics: ServerMetrics;
    readonly store: Pick<Store, "usage">;
    streams(): number;
  },
): Promise<HttpServer | undefined> {
  const place = config.metrics;
  if (place === undefined) return undefined;
  const { metrics, store } = sources;
  const scrape = {
    streams: () => sources.streams(),
    usage: () => store.usage(),
    process: processUsage,
  };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.method !== "GET" || pathname !== "/metrics") {
      return new Response("There is nothing here but GET /metrics.\n", { status: 404 });
    }
    const text = await metrics.render(scrape);
    return new Response(text, { headers: { "content-type": textType } });
  };
  try {
    return await listen(deps.timers, place, async () => await Promise.resolve({ fetch: answer }));
  } catch (cause) {
    const told = listenError(cause, place);
    if (told === undefined) throw cause;
    const { code, message } = told;
    throw new UserError({ code, message, hint: "choose another address and port for --metrics" });
  }
}
