import { namespaceId, ok, type NamespaceId, type Result } from "@tidemark/protocol";
import { namespaceRequestSchema, type SealedBeginning } from "@tidemark/protocol/wire";
import { beginSealed } from "../../domain/sealed-keys.ts";
import type { NewNamespaceError } from "../../store/accounts-port.ts";
import { createMark, tooManyNamespaces } from "../admission.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";
import { actorOf } from "./members.ts";

type Name = "namespaceCreate" | "namespacesDeleted" | "namespaceDelete" | "namespaceRestore";

/** Namespaces as a whole: made by anybody, deleted and restored by their owners (NS22). */
export function createNamespaceHandlers(
  parts: Parts,
): Readonly<Record<Name, (call: DeviceCall) => Promise<Response>>> {
  const { accounts } = parts;
  return {
    namespaceCreate: async (call) => {
      const request = parseJson(namespaceRequestSchema, call.body);
      if (!request.ok) return problem(call.c, request.error);
      const { name, sealed } = request.value;
      const place = await idOf(parts, call, sealed);
      if (!place.ok) return problem(call.c, place.error);
      const id = place.value;
      const created = await accounts.createNamespace({
        asking: call.device.id,
        id,
        name,
        sealed,
        mark: createMark(parts),
        network: callerNetwork(parts, call.c),
      });
      if (!created.ok) return creationProblem(call, created.error);
      return await answerJson(parts, call, created.value, 201);
    },
    namespacesDeleted: async (call) => {
      const namespaces = await accounts.deletedNamespaces(call.device.id);
      return await answerJson(parts, call, { namespaces });
    },
    namespaceDelete: async (call) => {
      const actor = actorOf(parts, call);
      if (actor === undefined) return problem(call.c, "not-found");
      const deleted = await accounts.deleteNamespace(actor);
      if (!deleted.ok) return problem(call.c, deleted.error.kind);
      parts.log.info("namespace-deleted", { ...actor });
      return await answerJson(parts, call, deleted.value);
    },
    namespaceRestore: async (call) => {
      const actor = actorOf(parts, call);
      if (actor === undefined) return problem(call.c, "not-found");
      const restored = await accounts.restoreNamespace(actor);
      if (!restored.ok) return problem(call.c, restored.error.kind);
      parts.log.info("namespace-restored", { ...actor });
      return await answerJson(parts, call, restored.value);
    },
  };
}

function creationProblem({ c }: DeviceCall, { kind }: NewNamespaceError): Response {
  // The device was active a moment ago, so it was revoked in between.
  if (kind === "device-revoked") return problem(c, kind);
  return problem(c, "conflict", { title: tooManyNamespaces });
}

async function idOf(
  parts: Parts,
  call: DeviceCall,
  sealed: SealedBeginning | undefined,
): Promise<Result<NamespaceId, "invalid" | "conflict">> {
  if (sealed !== undefined) return await beginSealed(parts.sealed, call.device.id, sealed);
  return ok(namespaceId(parts.random.bytes(16)));
}
