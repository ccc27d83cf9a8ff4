import { z } from "zod";
import type { NamespaceId, UserId } from "../ids.ts";
import type { Role } from "../roles.ts";
import type { Named } from "./access.ts";
import { namespaceIdSchema, userIdSchema } from "./ids.ts";
import { countSchema, roleSchema } from "./scalars.ts";

/** A namespace that a person may enter once an admin has said yes (NS24), as `hello` lists it. */
export interface WaitingPlace extends Named<NamespaceId> {
  readonly role: Role;
}

/** See {@link WaitingPlace}. */
export const waitingPlaceSchema: z.ZodType<WaitingPlace> = z.object({
  id: namespaceIdSchema,
  name: z.string(),
  role: roleSchema,
});

/** Who opened an invite and waits, as the admins of its namespace see it. */
export interface WaitingMember {
  /** The name is the one that they gave themselves. */
  readonly user: Named<UserId>;
  readonly role: Role;
  /** Wall time in milliseconds. */
  readonly since: number;
  /** What opened the invite. */
  readonly device: { readonly name: string; readonly platform: string };
  /** The prefix of the network that it was opened from. */
  readonly network?: string | undefined;
  readonly invitedBy: Named<UserId>;
  /** For whom the invite was made, in its maker's words. */
  readonly madeFor?: string | undefined;
}

/** Answer to `GET /v1/namespaces/{ns}/waiting`. */
export const waitingAnswerSchema: z.ZodType<{ readonly waiting: readonly WaitingMember[] }> =
  z.object({
    waiting: z.array(
      z.object({
        user: z.object({ id: userIdSchema, name: z.string() }),
        role: roleSchema,
        since: countSchema,
        device: z.object({ name: z.string(), platform: z.string() }),
        network: z.string().optional(),
        invitedBy: z.object({ id: userIdSchema, name: z.string() }),
        madeFor: z.string().optional(),
      }),
    ),
  });

/**
 * `POST /v1/namespaces/{ns}/waiting/{user}` lets somebody in with the role that was shown, and with
 * no other.
 */
export const confirmRequestSchema: z.ZodType<{ readonly role: Role }> = z.object({
  role: roleSchema,
});
