import { z } from "zod";
import type { DeviceId, NamespaceId, UserId } from "../ids.ts";
import type { Named } from "./access.ts";
import { deviceIdSchema, namespaceIdSchema, userIdSchema } from "./ids.ts";
import { countSchema } from "./scalars.ts";

/** Facts beside an event, see `AuditFacts`; a client shows what it does not know as it is. */
export type AuditDetails = Readonly<Record<string, string | number>>;

/** What a `key-copied` problem carries: the highest counter that the server has seen of the key. */
export const keyCopiedSchema: z.ZodType<{ readonly counter: number }> = z.object({
  code: z.literal("key-copied"),
  counter: countSchema,
});

/** One row of the audit, with the names that its ids have today. */
export interface AuditItem {
  readonly seq: number;
  /** Wall time of the server in milliseconds. */
  readonly at: number;
  /** An `AuditEvent`, or one of a later version. */
  readonly event: string;
  /** Who did it; absent where nobody did, as in a rotation of keys. */
  readonly user?: Named<UserId> | undefined;
  /** With which device. */
  readonly device?: Named<DeviceId> | undefined;
  /** Whose devices it concerns. */
  readonly about?: Named<UserId> | undefined;
  readonly namespace?: Named<NamespaceId> | undefined;
  /** Id of the device, person, link or key that it happened to. */
  readonly target?: string | undefined;
  /** Prefix of the network that the request came from. */
  readonly network?: string | undefined;
  readonly details: AuditDetails;
  readonly hash: string;
}

const namedSchema = <Id extends string>(id: z.ZodType<Id>): z.ZodType<Named<Id>> =>
  z.object({ id, name: z.string() });

const detailsSchema: z.ZodType<AuditDetails> = z.record(
  z.string().max(64),
  z.union([z.string(), z.number()]),
);

const auditItemSchema: z.ZodType<AuditItem> = z.object({
  seq: countSchema,
  at: countSchema,
  event: z.string().max(64),
  user: namedSchema(userIdSchema).optional(),
  device: namedSchema(deviceIdSchema).optional(),
  about: namedSchema(userIdSchema).optional(),
  namespace: namedSchema(namespaceIdSchema).optional(),
  target: z.string().max(128).optional(),
  network: z.string().max(64).optional(),
  details: detailsSchema,
  hash: z.string().max(64),
});

/** Answer to `GET /v1/audit` and `GET /v1/devices/log`: newest first. */
export interface AuditAnswer {
  readonly items: readonly AuditItem[];
  /** What to give as `after` to go on with older rows; null at the end. */
  readonly next: string | null;
}

/** See {@link AuditAnswer}. */
export const auditAnswerSchema: z.ZodType<AuditAnswer> = z.object({
  items: z.array(auditItemSchema),
  next: z.string().max(64).nullable(),
});

/** Answer to `GET /v1/audit/check`: whether the chain of rows holds. */
export interface AuditCheck {
  /** Rows that hold, counted from the first. */
  readonly rows: number;
  /** The last of them; who has it from elsewhere can tell an audit that was written anew. */
  readonly head: { readonly seq: number; readonly hash: string };
  /** The first row that does not fit or is missing; absent where all hold. */
  readonly brokenAt?: number | undefined;
}

/** See {@link AuditCheck}. */
export const auditCheckSchema: z.ZodType<AuditCheck> = z.object({
  rows: countSchema,
  head: z.object({ seq: countSchema, hash: z.string().max(64) }),
  brokenAt: countSchema.optional(),
});

/** What `hello` tells a device of what happened to its person's devices (AD5). */
export interface NewsItem {
  readonly seq: number;
  /** Wall time of the server in milliseconds. */
  readonly at: number;
  /** A `NewsEvent`, or one of a later version. */
  readonly event: string;
  /** The device it happened to. */
  readonly device?: string | undefined;
  /** The device that did it. */
  readonly by?: string | undefined;
  readonly network?: string | undefined;
  readonly details: AuditDetails;
}

/** See {@link NewsItem}. */
export const newsItemSchema: z.ZodType<NewsItem> = z.object({
  seq: countSchema,
  at: countSchema,
  event: z.string().max(64),
  device: z.string().max(128).optional(),
  by: z.string().max(128).optional(),
  network: z.string().max(64).optional(),
  details: detailsSchema,
});
