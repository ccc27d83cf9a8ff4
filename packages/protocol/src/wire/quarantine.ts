import { z } from "zod";
import type { DeviceId, NamespaceId } from "../ids.ts";
import { deviceIdSchema, namespaceIdSchema } from "./ids.ts";
import { countSchema } from "./scalars.ts";

/**
 * A device whose words are hidden in a namespace until somebody lifts it (QU1). What counts is the
 * place in the server's order: `since` is what was asked for, in wall milliseconds, and for show.
 */
export interface Suspect {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  /** Records with a `seq` above it are hidden. */
  readonly aboveSeq: number;
  /** 0: everything that it ever wrote. */
  readonly since: number;
}

/** See {@link Suspect}. */
export const suspectSchema: z.ZodType<Suspect> = z.object({
  namespace: namespaceIdSchema,
  device: deviceIdSchema,
  aboveSeq: countSchema,
  since: countSchema,
});

/** `POST /v1/quarantines`; without `since` all that the device ever wrote is meant. */
export interface QuarantineRequest {
  readonly device: DeviceId;
  readonly since?: number | undefined;
}

/** See {@link QuarantineRequest}. */
export const quarantineRequestSchema: z.ZodType<QuarantineRequest> = z.object({
  device: deviceIdSchema,
  since: countSchema.optional(),
});

/** Answer to `POST /v1/quarantines`: where it took effect. */
export const quarantineAnswerSchema: z.ZodType<{ readonly suspects: readonly Suspect[] }> =
  z.object({ suspects: z.array(suspectSchema) });

/** Answer to `DELETE /v1/quarantines/{device}`: where it was lifted. */
export const quarantineLiftedSchema: z.ZodType<{ readonly namespaces: readonly NamespaceId[] }> =
  z.object({ namespaces: z.array(namespaceIdSchema) });
