import type { DeviceId } from "@tidemark/protocol";
import { deviceRenameSchema } from "@tidemark/protocol/wire";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";

type Handler = (call: DeviceCall) => Promise<Response>;

/** The devices of the asking person; others' look as if they did not exist. */
export function createDeviceHandlers(
  parts: Parts,
): Readonly<Record<"devices" | "deviceRename" | "deviceRevoke", Handler>> {
  const { accounts } = parts;
  const networkOf = (call: DeviceCall): string | undefined => callerNetwork(parts, call.c);
  return {
    devices: async (call) =>
      await answerJson(parts, call, { devices: await accounts.devices(call.device.id) }),
    deviceRename: async (call) => {
      const request = parseJson(deviceRenameSchema, call.body);
      if (!request.ok) return problem(call.c, request.error);
      const id = pathId<DeviceId>(call, "device");
      const isDone =
        id !== undefined &&
        (await accounts.renameDevice(call.device.id, id, request.value.name, networkOf(call)));
      return isDone ? await answerJson(parts, call, {}) : problem(call.c, "not-found");
    },
    deviceRevoke: async (call) => {
      const id = pathId<DeviceId>(call, "device");
      if (id === undefined) return problem(call.c, "not-found");
      const isForced = call.c.req.query("force") === "true";
      const asked = { asking: call.device.id, id, isForced, network: networkOf(call) };
      // Before the wait for its pushes, which may fail: it is out by then.
      const onShutOut = (): void => {
        parts.endStreams(id);
        parts.log.info("device-revoked", { device: id, by: call.device.id });
      };
      const revoked = await accounts.revokeDevice({ ...asked, onShutOut });
      if (!revoked.ok) return problem(call.c, revoked.error.kind);
      return await answerJson(parts, call, revoked.value);
    },
  };
}
