import { z } from "zod";

/** Keys that one request hands out. */
export const wrapsMax = 500;

/** A compact JWS or JWE. */
export const joseSchema: z.ZodType<string> = z.string().regex(/^[0-9A-Za-z_.-]{1,8192}$/);
/** A device, or what stands for a recovery code. */
export const recipientSchema: z.ZodType<string> = z.string().regex(/^[0-9A-Za-z_-]{1,64}$/);

/** The key of an epoch, sealed for one device and signed by another (EE7). */
export interface KeyWrap {
  readonly epoch: number;
  /** A device, or what stands for a recovery code. */
  readonly recipient: string;
  readonly wrap: string;
}

/** See {@link KeyWrap}. */
export const keyWrapSchema: z.ZodType<KeyWrap> = z.object({
  epoch: z.int().min(1),
  recipient: recipientSchema,
  wrap: joseSchema,
});

/** How an encrypted namespace begins: the first entry of its log, and the first keys. */
export interface SealedBeginning {
  readonly genesis: string;
  readonly wraps: readonly KeyWrap[];
}

/** See {@link SealedBeginning}. */
export const sealedBeginningSchema: z.ZodType<SealedBeginning> = z.object({
  genesis: joseSchema,
  wraps: z.array(keyWrapSchema).max(wrapsMax),
});
