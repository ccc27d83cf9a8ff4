import { z } from "zod";
import { newDeviceSchema, type NewDevice } from "./access.ts";

/** `POST /v1/join/job`: a CI job's own identity token lets its machine in, without any secret. */
export interface JoinJobRequest {
  /** The OpenID Connect token that the CI service gave the job, for this server as audience. */
  readonly token: string;
  readonly device: NewDevice;
  /** The rule to come in by, where several would take the job. */
  readonly link?: string | undefined;
}

/** See {@link JoinJobRequest}. */
export const joinJobRequestSchema: z.ZodType<JoinJobRequest> = z.object({
  token: z.string().regex(/^[0-9A-Za-z_.-]{20,8192}$/),
  device: newDeviceSchema,
  link: z
    .string()
    .regex(/^[ -~]{8,64}$/)
    .optional(),
});
