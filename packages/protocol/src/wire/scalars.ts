import { z } from "zod";
import type { Digest } from "../digest.ts";
import { limits } from "../limits.ts";
import { roles, type Role } from "../roles.ts";

/** A count or position: a safe integer from 0 on. */
export const countSchema: z.ZodType<number> = z.int().min(0);

/** 16 lower-case hex characters. */
export const digestSchema: z.ZodType<Digest> = z.string().regex(/^[0-9a-f]{16}$/);

/** A running hash, or the hash of an entry: 64 lower-case hex characters. */
export const chainSchema: z.ZodType<string> = z.string().regex(/^[0-9a-f]{64}$/);

// Letters and marks that draw nothing, so that a name of them alone would look like none: those that
// terminals are spared as well, a joiner, vowels that are not written, selectors and a blank cell.
const unseen = "\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u2800\\u3164\\uFFA0";
const namePattern = new RegExp(`^[^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}${unseen}]+$`, "u");

/**
 * What a person calls a namespace, a device or themselves: one line that can be seen, without
 * control characters.
 */
export const nameSchema: z.ZodType<string> = z
  .string()
  .trim()
  .min(1)
  .max(limits.nameMax)
  .regex(namePattern, "must be one line without control or invisible characters")
  .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, "must have a character that can be seen");

/** A member's role. */
export const roleSchema: z.ZodType<Role> = z.enum(roles as readonly [Role, ...Role[]]);
