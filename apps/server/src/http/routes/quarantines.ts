import type { DeviceId } from "@tidemark/protocol";
import { quarantineRequestSchema } from "@tidemark/protocol/wire";
import { setQuarantine } from "../../domain/quarantine.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";

type Handler = (call: DeviceCall) => Promise<Response>;

/**
 * Hiding what a device wrote, and showing it again (QU1). A device that the asking person has no
 * say about looks as if it did not exist.
 */
export function createQuarantineHandlers(
  parts: Parts,
): Readonly<Record<"quarantine" | "quarantineLift", Handler>> {
  const { accounts } = parts;
  return {
    quarantine: async (call) => {
      const request = parseJson(quarantineRequestSchema, call.body);
      if (!request.ok) return problem(call.c, request.error);
      const { device, since: sinceMs = 0 } = request.value;
      const network = callerNetwork(parts, call.c);
      const asked = { asking: call.device.id, device, sinceMs, network };
      const suspects = await setQuarantine(parts.store, asked);
      if (suspects.length === 0) return problem(call.c, "not-found");
      parts.log.info("device-quarantined", { device, by: call.device.id });
      return await answerJson(parts, call, { suspects });
    },
    quarantineLift: async (call) => {
      const device = pathId<DeviceId>(call, "device");
      if (device === undefined) return problem(call.c, "not-found");
      const asked = { asking: call.device.id, device, network: callerNetwork(parts, call.c) };
      const namespaces = await accounts.liftQuarantine(asked);
      if (namespaces.length === 0) return problem(call.c, "not-found");
      parts.log.info("quarantine-lifted", { device, by: call.device.id });
      return await answerJson(parts, call, { namespaces });
    },
  };
}
