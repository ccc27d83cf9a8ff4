import { z } from "zod";
import type { Digest } from "../digest.ts";
import { limits } from "../limits.ts";
import { roles, type Role } from "../roles.ts";

/** A count or position: a safe integer from 0 on. */
export const countSchema: z.ZodType<number> = z.int().min(0);

/** 16 lower-case hex characters. */
export const digestSchema: z.ZodType<Digest> = z.string().regex(/^[0-9a-f]{16}$/);

/** A running hash: 64 lower-case hex characters. */
export const chainSchema: z.ZodType<string> = z.string().regex(/^[0-9a-f]{64}$/);

/** What a person calls a namespace, a device or themselves: one line, no control characters. */
export const nameSchema: z.ZodType<string> = z
  .string()
  .trim()
  .min(1)
  .max(limits.nameMax)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u, "must be one line without control characters");

/** A member's role. */
export const roleSchema: z.ZodType<Role> = z.enum(roles as readonly [Role, ...Role[]]);
