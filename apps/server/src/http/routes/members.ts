import type { NamespaceId, UserId } from "@tidemark/protocol";
import { confirmRequestSchema, roleRequestSchema } from "@tidemark/protocol/wire";
import type { MembershipActor, WaitingError } from "../../store/accounts-port.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";

type Handler = (call: DeviceCall) => Promise<Response>;

/** The members of a namespace; rights are read in the transaction that uses them. */
export function createMemberHandlers(
  parts: Parts,
): Readonly<Record<"members" | "memberRole" | "memberRemove", Handler>> {
  const { accounts } = parts;
  return {
    members: async (call) => {
      const actor = actorOf(parts, call);
      if (actor === undefined) return problem(call.c, "not-found");
      const members = await accounts.members(actor);
      if (!members.ok) return problem(call.c, members.error.kind);
      return await answerJson(parts, call, { members: members.value });
    },
    memberRole: async (call) => {
      const request = parseJson(roleRequestSchema, call.body);
      if (!request.ok) return problem(call.c, request.error);
      const actor = actorOf(parts, call);
      const user = pathId<UserId>(call, "user");
      if (actor === undefined || user === undefined) return problem(call.c, "not-found");
      const changed = await accounts.setRole(actor, user, request.value.role);
      if (!changed.ok) return problem(call.c, changed.error.kind);
      parts.log.info("role-changed", { ...actor, user, role: request.value.role });
      return await answerJson(parts, call, {});
    },
    memberRemove: async (call) => {
      const actor = actorOf(parts, call);
      const user = pathId<UserId>(call, "user");
      if (actor === undefined || user === undefined) return problem(call.c, "not-found");
      const removed = await accounts.removeMember(actor, user);
      if (!removed.ok) return problem(call.c, removed.error.kind);
      parts.log.info("member-removed", { ...actor, user });
      return await answerJson(parts, call, {});
    },
  };
}

/** Who waits to be let in: seeing them, and the word of an admin (NS24). */
export function createWaitingHandlers(
  parts: Parts,
): Readonly<Record<"waiting" | "memberConfirm" | "memberDecline", Handler>> {
  const { accounts } = parts;
  return {
    waiting: async (call) => {
      const actor = actorOf(parts, call);
      if (actor === undefined) return problem(call.c, "not-found");
      const waiting = await accounts.waiting(actor);
      if (!waiting.ok) return problem(call.c, waiting.error.kind);
      return await answerJson(parts, call, { waiting: waiting.value });
    },
    memberConfirm: async (call) => {
      const request = parseJson(confirmRequestSchema, call.body);
      if (!request.ok) return problem(call.c, request.error);
      const actor = actorOf(parts, call);
      const user = pathId<UserId>(call, "user");
      if (actor === undefined || user === undefined) return problem(call.c, "not-found");
      const done = await accounts.confirmMember(actor, user, request.value.role);
      if (!done.ok) return waitingProblem(call, done.error);
      parts.log.info("member-confirmed", { ...actor, user, role: request.value.role });
      return await answerJson(parts, call, {});
    },
    memberDecline: async (call) => {
      const actor = actorOf(parts, call);
      const user = pathId<UserId>(call, "user");
      if (actor === undefined || user === undefined) return problem(call.c, "not-found");
      const done = await accounts.declineMember(actor, user);
      if (!done.ok) return waitingProblem(call, done.error);
      parts.log.info("member-declined", { ...actor, user });
      return await answerJson(parts, call, {});
    },
  };
}

function waitingProblem({ c }: DeviceCall, { kind }: WaitingError): Response {
  if (kind !== "conflict") return problem(c, kind);
  const title = "They wait for another role now. Look again: `tidemark namespace members`.";
  return problem(c, "conflict", { title });
}

/** Who asks about the namespace of the path; undefined where that can be none. */
export function actorOf(parts: Parts, call: DeviceCall): MembershipActor | undefined {
  const namespace = pathId<NamespaceId>(call, "namespace");
  return namespace === undefined
    ? undefined
    : { device: call.device.id, namespace, network: callerNetwork(parts, call.c) };
}
