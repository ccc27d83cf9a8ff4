import type { DeviceId } from "@tidemark/protocol";
import { acceptRequestSchema, linkRequestSchema } from "@tidemark/protocol/wire";
import { secretHash } from "../../auth/link-secrets.ts";
import { createLink, type LinkError } from "../../domain/links.ts";
import { admissionProblem } from "../admission.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";

function linkProblem({ c }: DeviceCall, { kind }: LinkError): Response {
  if (kind === "unknown-issuer") return problem(c, "invalid", { title: unknownIssuer });
  if (kind === "encrypted") return problem(c, "invalid", { title: encrypted });
  if (kind !== "too-many-links") return problem(c, kind);
  const title = "Too many of your links are open. End some: `tidemark device links`.";
  return problem(c, "conflict", { title });
}

const unknownIssuer =
  "This server takes no tokens of that CI service. Whoever runs it names it with `--job-issuers`.";

const encrypted =
  "Machines come into no encrypted namespace: nobody admits them one by one, so nobody hands them its " +
  "keys. Name another: `tidemark namespace list`.";

type Handler = (call: DeviceCall) => Promise<Response>;

/** One-time links: making one, seeing what became of it, and accepting an invite with a device that is paired already. */
export function createLinkHandlers(
  parts: Parts,
): Readonly<Record<"link" | "linkState" | "links" | "linkRevoke" | "accept", Handler>> {
  const linkDeps = { ...parts, issuers: parts.jobs?.issuers ?? [] };
  return {
    link: async (call) => {
      const request = parseJson(linkRequestSchema, call.body);
      if (!request.ok) return problem(call.c, request.error);
      const link = await createLink(linkDeps, call.device, {
        ...request.value,
        network: callerNetwork(parts, call.c),
      });
      if (!link.ok) return linkProblem(call, link.error);
      parts.log.info("link-made", { kind: request.value.kind, device: call.device.id });
      return await answerJson(parts, call, link.value, 201);
    },
    linkState: async (call) => {
      const id = pathId(call, "link");
      const asked = { asking: call.device.id, nowMs: parts.clock.nowMs() };
      const state = id === undefined ? undefined : await parts.accounts.linkState({ ...asked, id });
      return state === undefined
        ? problem(call.c, "not-found")
        : await answerJson(parts, call, state);
    },
    links: async (call) => {
      const links = await parts.accounts.links(call.device.id, parts.clock.nowMs());
      return await answerJson(parts, call, { links });
    },
    linkRevoke: async (call) => {
      const id = pathId(call, "link");
      if (id === undefined) return problem(call.c, "not-found");
      // Before the wait for their pushes, which may fail: they are out by then.
      const onShutOut = (shutOut: readonly DeviceId[]): void => {
        for (const device of shutOut) parts.endStreams(device);
        parts.log.info("link-revoked", { devices: shutOut.length, by: call.device.id });
      };
      const devices = await parts.accounts.revokeLink({
        asking: call.device.id,
        id,
        withDevices: call.c.req.query("devices") === "revoke",
        network: callerNetwork(parts, call.c),
        nowMs: parts.clock.nowMs(),
        onShutOut,
      });
      if (devices === undefined) return problem(call.c, "not-found");
      return await answerJson(parts, call, { devices });
    },
    accept: async (call) => {
      const request = parseJson(acceptRequestSchema, call.body);
      if (!request.ok) return problem(call.c, request.error);
      const accepted = await parts.accounts.acceptInvite({
        id: request.value.id,
        authHash: secretHash(parts, request.value.auth),
        nowMs: parts.clock.nowMs(),
        device: call.device.id,
        network: callerNetwork(parts, call.c),
      });
      if (!accepted.ok) return admissionProblem(call.c, accepted.error, "join");
      return await answerJson(parts, call, { namespace: accepted.value });
    },
  };
}
