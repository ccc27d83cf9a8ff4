import { z } from "zod";
import type { UserId } from "../ids.ts";
import { deviceKeySchema, type DeviceKey } from "./access.ts";
import { userIdSchema } from "./ids.ts";
import { joseSchema, keyWrapSchema, recipientSchema, wrapsMax, type KeyWrap } from "./key-wrap.ts";
import { countSchema } from "./scalars.ts";

/** Entries of a membership log that one request adds. */
export const logEntriesMax = 100;

/** `POST /v1/namespaces/{ns}/keys`: goes on from a log of so many entries, or changes nothing. */
export interface KeysRequest {
  readonly after: number;
  readonly entries: readonly string[];
  readonly wraps: readonly KeyWrap[];
}

/** See {@link KeysRequest}. */
export const keysRequestSchema: z.ZodType<KeysRequest> = z.object({
  after: countSchema,
  entries: z.array(joseSchema).max(logEntriesMax),
  wraps: z.array(keyWrapSchema).max(wrapsMax),
});

/** A device of a member that can hold keys, as the server names it; nobody believes it unasked. */
export interface SealingDevice {
  readonly id: string;
  readonly name: string;
  readonly user: UserId;
  readonly userName: string;
  readonly key: DeviceKey;
  /** Its key for wraps, in a statement signed by its own key. */
  readonly sealingKey: string;
  /**
   * How many keys of the namespace are there for it; absent where the server does not say. For clients
   * of before `recipients`, which tells of what is missing.
   */
  readonly wraps?: number | undefined;
}

/** Answer to `GET` and `POST /v1/namespaces/{ns}/keys`. */
export interface KeysAnswer {
  readonly log: readonly string[];
  /** Those for the asking device, or for the recipient that it asked for. */
  readonly wraps: readonly KeyWrap[];
  readonly devices: readonly SealingDevice[];
  /**
   * All devices of members, those too of which the server has no key: they have not left. Absent where
   * it does not say.
   */
  readonly present?: readonly string[] | undefined;
  /** Everybody for whom there are keys, recovery codes too. Absent where the server does not say. */
  readonly recipients?: readonly KeyRecipient[] | undefined;
}

/** Somebody for whom there are keys of a namespace. */
export interface KeyRecipient {
  readonly id: string;
  /** Epochs so far whose keys are not there for it. */
  readonly lacks: readonly number[];
}

/** See {@link KeysAnswer}. */
export const keysAnswerSchema: z.ZodType<KeysAnswer> = z.object({
  log: z.array(joseSchema),
  wraps: z.array(keyWrapSchema),
  devices: z.array(
    z.object({
      id: recipientSchema,
      name: z.string(),
      user: userIdSchema,
      userName: z.string(),
      key: deviceKeySchema,
      sealingKey: joseSchema,
      wraps: countSchema.optional(),
    }),
  ),
  present: z.array(recipientSchema).optional(),
  recipients: z.array(z.object({ id: recipientSchema, lacks: z.array(countSchema) })).optional(),
});

/** `POST /v1/sealing-key`: a device's key for wraps, in a statement that its own key has signed. */
export const sealingKeyRequestSchema: z.ZodType<{ readonly statement: string }> = z.object({
  statement: joseSchema,
});
