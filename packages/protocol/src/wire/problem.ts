import { z } from "zod";
import type { ErrorCode, ErrorFamily } from "../errors.ts";

/**
 * A failed request (RFC 9457, WR3). `code` is stable; `family` says what to do, also for codes that
 * this version does not know yet. `writer-position` problems carry a `Position` beside these.
 */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode | (string & {});
  readonly family: ErrorFamily;
  readonly requestId?: string | undefined;
  /** For `retry`: wait at least this long. */
  readonly retryAfterMs?: number | undefined;
}

/** See {@link Problem}; members it does not name are kept. */
export const problemSchema: z.ZodType<Problem> = z.looseObject({
  type: z.string(),
  title: z.string().max(500),
  status: z.int(),
  code: z.string().max(64),
  family: z.enum(["retry", "auth", "reject", "heal", "upgrade", "bug"]),
  requestId: z.string().max(64).optional(),
  retryAfterMs: z.number().min(0).optional(),
});

/** Media type of a problem document. */
export const problemType = "application/problem+json";
/** Media type of newline-delimited JSON, in pushes, pulls and heals. */
export const ndjsonType = "application/x-ndjson";
