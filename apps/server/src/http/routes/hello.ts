import { features, limits, protocolVersion, protocolVersionOldest } from "@tidemark/protocol";
import type { Hello } from "@tidemark/protocol/wire";
import { answerJson } from "../answer.ts";
import type { Call } from "../app-env.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

/** `GET /v1/hello`: what this server is, and to a device who it is and what it may see (WR13). */
export function createHelloHandler(parts: Parts): (call: Call) => Promise<Response> {
  return async (call) => {
    const { id } = await parts.claim.server();
    const hello: Hello = {
      protocol: { version: protocolVersion, oldest: protocolVersionOldest },
      features,
      server: { id, time: parts.clock.nowMs(), version: parts.version },
      limits,
    };
    if (call.device === undefined) return await answerJson(parts, call, hello);
    const identity = await parts.accounts.identity(call.device.id);
    if (identity === undefined) return problem(call.c, "device-revoked");
    const all = await parts.accounts.namespaces(call.device.id);
    // The person's own stands first; a client takes no hello that lists more (WR42).
    const namespaces = all.slice(0, limits.namespacesMax);
    // A machine is told nothing of what happens to its person (PR9).
    const isPersons = call.device.kind === "person";
    const news = isPersons ? await parts.accounts.news(call.device.id) : [];
    const waiting = isPersons ? await parts.accounts.waitingPlaces(call.device.id) : [];
    const suspects = await parts.accounts.suspects(call.device.id);
    const { user, device, hasSealingKey: sealingKey } = identity;
    const told = { user, device, namespaces, news, suspects, sealingKey };
    const full = { ...hello, ...told, ...(waiting.length === 0 ? {} : { waiting }) };
    return await answerJson(parts, call, full);
  };
}
