import type { DeviceId, ErrorCode } from "@tidemark/protocol";
import type { MiddlewareHandler } from "hono";
import type { AppDeps } from "../app-deps.ts";
import type { AppEnv } from "../app-env.ts";
import type { RouteName } from "../route-table.ts";

/** What is told of an answer: nothing that anybody wrote, and no address. */
export interface Answered {
  readonly requestId: string;
  /** `console` for its pages, `none` for what is no route. */
  readonly route: RouteName | "console" | "none";
  readonly status: number;
  /** Until the answer began; a stream goes on. */
  readonly ms: number;
  /** Why it was refused. */
  readonly code: ErrorCode | undefined;
  /** Whoever has shown who they are. */
  readonly device: DeviceId | undefined;
  /** What became of a push's changes. */
  readonly ops: PushedOps | undefined;
}

/** Changes of a push that was taken, and those whose result was named. */
export interface PushedOps {
  readonly count: number;
  readonly byResult: Readonly<Record<string, number>>;
}

/** Characters of a device's id that tell devices of one server apart. */
const shortIdChars = 12;

/** Tells of each answer: to the log where it was refused, or all are wanted, and to the observer. */
export function observeAnswers(
  deps: Pick<AppDeps, "log" | "clock" | "observer">,
): MiddlewareHandler<AppEnv> {
  const { observer } = deps;
  const nowMs = (): number => (observer ?? deps.clock).nowMs();
  return async (c, next) => {
    const beganMs = nowMs();
    await next();
    const answer: Answered = {
      requestId: c.get("requestId"),
      route: c.get("route") ?? (c.req.path.startsWith("/console") ? "console" : "none"),
      status: c.res.status,
      ms: Math.max(0, nowMs() - beganMs),
      code: c.get("code"),
      device: c.get("device"),
      ops: c.get("ops"),
    };
    observer?.answered(answer);
    if (answer.status >= 400) deps.log.info("request-refused", logged(answer));
    else if (observer?.isLogged === true) deps.log.info("request-answered", logged(answer));
  };
}

function logged({ requestId, route, status, ms, code, device, ops }: Answered) {
  return {
    requestId,
    route,
    status,
    ms: Math.round(ms * 10) / 10,
    code,
    device: device?.slice(0, shortIdChars),
    ops: ops?.count,
  };
}
