/** Saying that a device is not to be believed, from some time on (QU1). */
import { fail, ok, type DeviceId, type NamespaceId } from "@tidemark/protocol";
import {
  helloSchema,
  quarantineAnswerSchema,
  quarantineLiftedSchema,
  type Suspect,
} from "@tidemark/protocol/wire";
import type { Caller } from "../http/caller.ts";
import { accessError, type AccessError, type Done } from "./access-error.ts";

/** Quarantines that this device's person may set and lift. */
export interface Quarantines {
  /** Hides what a device wrote since a wall time, or all of it; gives where that took effect. */
  set(
    device: { readonly id: DeviceId; readonly sinceMs: number | undefined },
    signal: AbortSignal,
  ): Done<readonly Suspect[]>;
  /** Shows what a device wrote again; gives where. */
  lift(device: DeviceId, signal: AbortSignal): Done<readonly NamespaceId[]>;
}

/** Makes the calls of a paired device. */
export function createQuarantines({ caller }: { readonly caller: Caller }): Quarantines {
  return {
    set: async ({ id: device, sinceMs: since }, signal) => {
      const refusal = await whyNot(caller, signal);
      if (refusal !== undefined) return fail(refusal);
      const content = JSON.stringify(since === undefined ? { device } : { device, since });
      const body = { type: "application/json", content } as const;
      const call = { method: "POST", path: "/v1/quarantines", body } as const;
      const answer = await caller.json(call, quarantineAnswerSchema, signal);
      return answer.ok ? ok(answer.value.suspects) : fail(errorOf(answer.error));
    },
    lift: async (device, signal) => {
      const refusal = await whyNot(caller, signal);
      if (refusal !== undefined) return fail(refusal);
      const path = `/v1/quarantines/${encodeURIComponent(device)}`;
      const answer = await caller.json({ method: "DELETE", path }, quarantineLiftedSchema, signal);
      return answer.ok ? ok(answer.value.namespaces) : fail(errorOf(answer.error));
    },
  };
}

function errorOf(error: Parameters<typeof accessError>[0]): AccessError {
  if (error.code !== "not-found") return accessError(error);
  return {
    code: "not-found",
    message: "there is nothing of that device for you to put in quarantine or to lift",
    hint: "it must have written in a namespace, and be yours or in a team that you administer; a device never says it of itself; `tidemark quarantine` lists what is in force",
  };
}

async function whyNot(caller: Caller, signal: AbortSignal): Promise<AccessError | undefined> {
  const call = { method: "GET", path: "/v1/hello", isOpen: true } as const;
  const hello = await caller.json(call, helloSchema, signal);
  if (!hello.ok) return accessError(hello.error);
  if (hello.value.features.includes("quarantine")) return undefined;
  return {
    code: "upgrade-server",
    message: "the server is too old to put a device in quarantine",
    hint: "ask who runs the server to update it; until then `tidemark device revoke` shuts it out",
  };
}
