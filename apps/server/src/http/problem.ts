import { errorKinds, type ErrorCode, type Position } from "@tidemark/protocol";
import { problemType, type Problem } from "@tidemark/protocol/wire";
import type { Context, ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { StoreUnavailable } from "../store/store-unavailable.ts";
import type { Log } from "./app-deps.ts";
import type { AppEnv } from "./app-env.ts";

/** What a problem may carry beside its code. */
export interface ProblemExtras {
  readonly retryAfterMs?: number;
  readonly position?: Position;
  /** Beside `key-copied`: the highest counter so far, told to who holds the key alone (AU16). */
  readonly counter?: number;
  /** A sentence that tells the next step, in place of the code's own; a stranger may read it. */
  readonly title?: string;
}

/** How soon to come back when nothing better is known, in milliseconds. */
const retryAfterMsDefault = 1_000;

/** Answers with a problem document (WR10): code, title and request id, and nothing of the cause. */
export function problem(c: Context<AppEnv>, code: ErrorCode, extras: ProblemExtras = {}): Response {
  const { status, family } = errorKinds[code];
  c.set("code", code);
  const title = extras.title ?? errorKinds[code].title;
  const retryAfterMs =
    family === "retry" ? (extras.retryAfterMs ?? retryAfterMsDefault) : extras.retryAfterMs;
  const body: Problem = {
    ...extras.position,
    type: `urn:tidemark:problem:${code}`,
    title,
    status,
    code,
    family,
    requestId: c.get("requestId"),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(extras.counter === undefined ? {} : { counter: extras.counter }),
  };
  c.header("Content-Type", problemType);
  if (retryAfterMs !== undefined) c.header("Retry-After", String(Math.ceil(retryAfterMs / 1000)));
  if (status === 401) c.header("WWW-Authenticate", challengeOf(code));
  return c.newResponse(JSON.stringify(body), status as ContentfulStatusCode);
}

/** RFC 9449 §9: the word by which any client knows that a nonce is all that is missing. */
function challengeOf(code: ErrorCode): string {
  const error = code === "use-dpop-nonce" ? 'error="use_dpop_nonce", ' : "";
  return `DPoP ${error}algs="Ed25519"`;
}

/** The one place where an exception becomes an answer (WR11); the console makes a page of the code (OPS121). */
export function createErrorHandler(log: Log): ErrorHandler<AppEnv> {
  return (cause, c) => problem(c, failureCode(log, c, cause));
}

/** Tells the log of an exception, and gives the code that is all the answer says of it. */
export function failureCode(log: Log, c: Context<AppEnv>, cause: unknown): ErrorCode {
  const requestId = c.get("requestId");
  if (cause instanceof StoreUnavailable) {
    log.warn("store-unavailable", { requestId });
    return "unavailable";
  }
  if (cause instanceof HTTPException) return codeOfStatus(cause.status);
  const { name, stack = "" } = cause instanceof Error ? cause : new Error("not an error");
  // The message may quote what somebody sent; where it happened is enough to find it.
  const at = stack.split("\n    at ").slice(1, 6).join(" | ");
  log.error("request-failed", { requestId, name, at });
  return "internal";
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 404) return "not-found";
  if (status === 413) return "too-large";
  if (status === 415) return "unsupported-media-type";
  return status < 500 ? "invalid" : "internal";
}
