import { z } from "zod";
import {
  isId,
  type DeviceId,
  type NamespaceId,
  type RecordId,
  type UserId,
  type WriterId,
} from "../ids.ts";

function idSchema<T extends string>(): z.ZodType<T> {
  return z.custom<T>((value) => typeof value === "string" && isId(value), "must be an id");
}

/** A record's id. */
export const recordIdSchema: z.ZodType<RecordId> = idSchema<RecordId>();
/** A namespace's id. */
export const namespaceIdSchema: z.ZodType<NamespaceId> = idSchema<NamespaceId>();
/** A device's id. */
export const deviceIdSchema: z.ZodType<DeviceId> = idSchema<DeviceId>();
/** A user's id. */
export const userIdSchema: z.ZodType<UserId> = idSchema<UserId>();
/** A writer's id. */
export const writerIdSchema: z.ZodType<WriterId> = idSchema<WriterId>();
