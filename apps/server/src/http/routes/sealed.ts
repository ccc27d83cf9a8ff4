import { type NamespaceId } from "@tidemark/protocol";
import { keysRequestSchema, sealingKeyRequestSchema } from "@tidemark/protocol/wire";
import { changeKeys, readKeys, type KeysError } from "../../domain/sealed-keys.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";
import { syncProblem } from "../sync-problem.ts";

type Name = "sealingKey" | "sealedKeys" | "sealedKeysChange";

/** Keys of encrypted namespaces: what a server relays and cannot open. */
export function createSealedHandlers(
  parts: Parts,
): Readonly<Record<Name, (call: DeviceCall) => Promise<Response>>> {
  const { sealed, accounts } = parts;
  return {
    sealingKey: async (call) => {
      const request = parseJson(sealingKeyRequestSchema, call.body);
      if (!request.ok) return problem(call.c, request.error);
      const isSaved = await accounts.saveSealingKey(call.device.id, request.value.statement);
      return isSaved ? await answerJson(parts, call, {}) : problem(call.c, "device-revoked");
    },
    sealedKeys: async (call) => {
      const namespace = pathId<NamespaceId>(call, "namespace");
      if (namespace === undefined) return problem(call.c, "not-found");
      const recipient = call.c.req.query("for");
      const keys = await readKeys(sealed, { namespace, device: call.device.id, recipient });
      return keys.ok ? await answerJson(parts, call, keys.value) : refusal(call, keys.error);
    },
    sealedKeysChange: async (call) => {
      const namespace = pathId<NamespaceId>(call, "namespace");
      if (namespace === undefined) return problem(call.c, "not-found");
      const request = parseJson(keysRequestSchema, call.body);
      if (!request.ok) return problem(call.c, request.error);
      const asking = { namespace, device: call.device.id };
      const keys = await changeKeys(sealed, asking, request.value);
      if (!keys.ok) return refusal(call, keys.error);
      const grew = { namespace, by: call.device.id, entries: request.value.entries.length };
      if (grew.entries > 0) parts.log.info("membership-log-grew", grew);
      return await answerJson(parts, call, keys.value);
    },
  };
}

function refusal(call: DeviceCall, error: KeysError): Response {
  if (error.kind === "forbidden" || error.kind === "conflict") return problem(call.c, error.kind);
  return syncProblem(call, error);
}
