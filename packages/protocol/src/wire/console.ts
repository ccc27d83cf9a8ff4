import { z } from "zod";
import { countSchema } from "./scalars.ts";

/** Answer to `POST /v1/console/links`: what follows the server's address in a sign-in link. */
export interface ConsoleLinkAnswer {
  /** Its secret stands behind the `#`, so that no server, proxy or history gets it in an address. */
  readonly path: string;
  readonly expiresInMs: number;
}

/** See {@link ConsoleLinkAnswer}. */
export const consoleLinkAnswerSchema: z.ZodType<ConsoleLinkAnswer> = z.object({
  path: z.string().regex(/^\/console\/enter#[0-9A-Za-z_-]{43}$/),
  expiresInMs: countSchema,
});
