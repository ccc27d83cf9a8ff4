import { z } from "zod";
import { idPattern, type DeviceId } from "../ids.ts";
import {
  admissionSchema,
  newDeviceSchema,
  type Admission,
  type Named,
  type NewDevice,
} from "./access.ts";
import { deviceIdSchema } from "./ids.ts";
import { parsePairCode } from "./pair-code.ts";
import { countSchema } from "./scalars.ts";

const idSchema = z.string().regex(idPattern);
const hashSchema = z.string().regex(/^[0-9A-Za-z_-]{43}$/);

/**
 * `POST /v1/pair/start`: a device that nobody knows asks to be let in (PR1). A proof by its key
 * goes along. `mac` binds key, name and server to the half of the code that no server sees; `salt`
 * makes guessing that half cost anew for each request (PR3).
 */
export interface PairStartRequest {
  readonly device: NewDevice;
  readonly mac: string;
  readonly salt: string;
}

/** See {@link PairStartRequest}. */
export const pairStartRequestSchema: z.ZodType<PairStartRequest> = z.object({
  device: newDeviceSchema,
  mac: hashSchema,
  salt: z.string().regex(/^[0-9A-Za-z_-]{22}$/),
});

/** Answer to `POST /v1/pair/start`. `secret` opens the poll, together with the key, and nothing else. */
export interface PairStartAnswer {
  readonly id: string;
  readonly secret: string;
  /** The server's half of the code. */
  readonly code: string;
  readonly expiresInMs: number;
  /** How often to ask at most, where the asker does not let itself be held. */
  readonly intervalMs: number;
}

/** See {@link PairStartAnswer}. */
export const pairStartAnswerSchema: z.ZodType<PairStartAnswer> = z.object({
  id: idSchema,
  secret: hashSchema,
  code: z.string().regex(/^[A-Z]{8}$/),
  expiresInMs: countSchema,
  intervalMs: countSchema,
});

/** `POST /v1/pair/poll`, with a proof by the same key. `wait` lets the server hold the answer. */
export interface PairPollRequest {
  readonly id: string;
  readonly secret: string;
  readonly wait?: boolean | undefined;
}

/** See {@link PairPollRequest}. */
export const pairPollRequestSchema: z.ZodType<PairPollRequest> = z.object({
  id: idSchema,
  secret: hashSchema,
  wait: z.boolean().optional(),
});

/** Answer to `POST /v1/pair/poll`. `approved` admits the device; who asks again is told the same. */
export type PairPollAnswer =
  | { readonly status: "pending"; readonly intervalMs: number }
  | { readonly status: "denied" | "expired" }
  | {
      readonly status: "approved";
      readonly admission: Admission;
      readonly approvedBy: Named<DeviceId>;
      /** Whether somebody else on the server has the person's name, see {@link isSameName}. */
      readonly isNameShared?: boolean | undefined;
    };

/** Whether a person means the same by two names. */
export function isSameName(left: string, right: string): boolean {
  return left.trim().toLowerCase() === right.trim().toLowerCase();
}

/** See {@link PairPollAnswer}. */
export const pairPollAnswerSchema: z.ZodType<PairPollAnswer> = z.discriminatedUnion("status", [
  z.object({ status: z.literal("pending"), intervalMs: countSchema }),
  z.object({ status: z.enum(["denied", "expired"]) }),
  z.object({
    status: z.literal("approved"),
    admission: admissionSchema,
    approvedBy: z.object({ id: deviceIdSchema, name: z.string() }),
    isNameShared: z.boolean().optional(),
  }),
]);

/** `POST /v1/pair/lookup`: what a paired device reads before it decides; the server's half only. */
export const pairLookupRequestSchema: z.ZodType<{ readonly code: string }> = z.object({
  code: z.string().transform((text, context) => {
    const parsed = parsePairCode(text);
    if (parsed !== undefined && parsed.half === undefined) return parsed.code;
    context.addIssue({ code: "custom", message: "must be the server's half of a code" });
    return z.NEVER;
  }),
});

/** Answer to `POST /v1/pair/lookup`: who asks to be let in, as they say and as the server saw. */
export interface PairFacts {
  readonly id: string;
  readonly name: string;
  readonly platform: string;
  /** RFC 7638 thumbprint of its key. */
  readonly thumbprint: string;
  readonly mac: string;
  readonly salt: string;
  /** The prefix of its network; null where the server does not know. */
  readonly network: string | null;
  /** Whether the asking device comes from that network too; null where one is not known. */
  readonly isSameNetwork: boolean | null;
  readonly ageMs: number;
  readonly expiresInMs: number;
}

/** See {@link PairFacts}. */
export const pairFactsSchema: z.ZodType<PairFacts> = z.object({
  id: idSchema,
  name: z.string(),
  platform: z.string(),
  thumbprint: hashSchema,
  mac: hashSchema,
  salt: z.string().regex(/^[0-9A-Za-z_-]{22}$/),
  network: z.string().nullable(),
  isSameNetwork: z.boolean().nullable(),
  ageMs: countSchema,
  expiresInMs: countSchema,
});

/**
 * `POST /v1/pair/approve` and `POST /v1/pair/deny`. Strict, unlike other requests: a member that
 * this version would ignore, such as another person's id, might mean more to whoever sent it.
 */
export const pairDecisionSchema: z.ZodType<{ readonly id: string }> = z.strictObject({
  id: idSchema,
});
