import {
  base32,
  deviceId,
  fail,
  limits,
  namespaceId,
  ok,
  userId,
  type Result,
} from "@tidemark/protocol";
import type { Admission, NewDevice } from "@tidemark/protocol/wire";
import type { Context } from "hono";
import { canonicalKey } from "../auth/thumbprint.ts";
import type {
  AdmissionError,
  AdmittedDevice,
  AdmittedPair,
  AdmittedUser,
} from "../store/accounts-port.ts";
import type { AppEnv } from "./app-env.ts";
import { problem } from "./problem.ts";

interface Ids {
  readonly random: { bytes(count: number): Uint8Array };
}

/** What a personal namespace is called at first. */
const personalName = "personal";

/** A device as it is admitted: its key in the one canonical spelling, under an id of our own. */
export async function admittedDevice(
  deps: Ids,
  device: NewDevice,
): Promise<Result<AdmittedDevice, "invalid">> {
  const key = await canonicalKey(device.key);
  if (!key.ok) return fail("invalid");
  const { name, platform } = device;
  return ok({ id: deviceId(deps.random.bytes(16)), name, platform, ...key.value });
}

/** A person as they are admitted, with a personal namespace. */
export function admittedUser(deps: Ids, name: string): AdmittedUser {
  return {
    id: userId(deps.random.bytes(16)),
    name,
    personal: {
      id: namespaceId(deps.random.bytes(16)),
      name: personalName,
      mark: createMark(deps),
    },
  };
}

/** The mark of a namespace that is still empty. */
export function createMark(deps: Ids): string {
  return base32(deps.random.bytes(16));
}

/** The answer to setup and join. */
export function admission(serverId: string, pair: AdmittedPair): Admission {
  return { server: { id: serverId }, ...pair };
}

/** Answers a refused admission with what to do next. */
export function admissionProblem(
  c: Context<AppEnv>,
  error: AdmissionError,
  link: "setup" | "join",
): Response {
  const title = titleOf(error, link);
  switch (error.kind) {
    case "invalid-or-expired":
      return problem(c, "invalid-or-expired", { title });
    case "already-claimed":
      return problem(c, "already-claimed", { title });
    case "too-many-devices":
    case "too-many-namespaces":
    case "key-in-use":
      return problem(c, "conflict", { title });
    case "user-name-needed":
      return problem(c, "invalid", { title });
  }
}

/** What a person is told who is in as many namespaces as one may be in (NS28). */
export const tooManyNamespaces = `You are in ${limits.namespacesMax} namespaces, those included that you wait for and that were deleted less than 30 days ago; one may not be in more. Leave some: \`tidemark namespace leave\`.`;

function titleOf(error: AdmissionError, link: "setup" | "join"): string {
  switch (error.kind) {
    case "invalid-or-expired":
      return link === "setup"
        ? "The setup link is unknown or expired. Print a new one on the server: `tidemark-server setup-link`."
        : "The link is unknown, used up or expired. Ask for a new one: `tidemark device add` or `tidemark namespace invite`.";
    case "already-claimed":
      return "This server already has an owner. Ask them for a link: `tidemark device add` or `tidemark namespace invite`; or, on its host, `tidemark-server owner-reset`.";
    case "key-in-use":
      return "The server knows this device already. See `tidemark status` on it.";
    case "too-many-devices":
      return "Its person has as many devices as one may have. Revoke some: `tidemark device list`.";
    case "too-many-namespaces":
      return tooManyNamespaces;
    case "user-name-needed":
      return "The link is for a new person, who needs a name. Repeat with `tidemark pair LINK --user NAME`.";
  }
}
