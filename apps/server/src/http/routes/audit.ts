import { fail, isId, ok, type NamespaceId, type Result } from "@tidemark/protocol";
import type { AuditAnswer, AuditCheck } from "@tidemark/protocol/wire";
import type { AuditPage, AuditQuery } from "../../store/audit-port.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

type Handler = (call: DeviceCall) => Promise<Response>;

/** Rows of one page, unless asked for fewer or more, and at most. */
const limitDefault = 50;
const limitMax = 200;

/** Who did what: for admins of a namespace, for the server's owner, and for oneself (AD4). */
export function createAuditHandlers(
  parts: Parts,
): Readonly<Record<"audit" | "auditCheck" | "deviceLog", Handler>> {
  const { accounts } = parts;
  return {
    audit: async (call) => {
      const query = readQuery(call);
      if (!query.ok) return problem(call.c, query.error);
      const namespace = namespaceIn(call);
      if (!namespace.ok) return problem(call.c, namespace.error);
      const page = await accounts.audit({ ...query.value, namespace: namespace.value });
      if (!page.ok) return problem(call.c, page.error.kind);
      return await answerJson(parts, call, answerOf(page.value));
    },
    auditCheck: async (call) => {
      const asked = { asking: call.device.id, before: undefined, limit: 1, namespace: undefined };
      const right = await accounts.audit(asked);
      if (!right.ok) return problem(call.c, right.error.kind);
      const verdict: AuditCheck = await accounts.verifyAudit();
      if (verdict.brokenAt !== undefined) {
        parts.log.error("audit-broken", { seq: verdict.brokenAt });
      }
      return await answerJson(parts, call, verdict);
    },
    deviceLog: async (call) => {
      const query = readQuery(call);
      if (!query.ok) return problem(call.c, query.error);
      return await answerJson(parts, call, answerOf(await accounts.deviceLog(query.value)));
    },
  };
}

function answerOf({ items, hasMore }: AuditPage): AuditAnswer {
  const last = items.at(-1);
  return { items, next: hasMore && last !== undefined ? String(last.seq) : null };
}

function readQuery({ c, device }: DeviceCall): Result<AuditQuery, "invalid"> {
  const after = c.req.query("after") ?? "";
  const limit = c.req.query("limit") ?? String(limitDefault);
  if (!/^(?:[1-9]\d{0,14})?$/.test(after) || !/^[1-9]\d{0,6}$/.test(limit)) return fail("invalid");
  return ok({
    asking: device.id,
    before: after === "" ? undefined : Number(after),
    limit: Math.min(Number(limit), limitMax),
  });
}

/** What cannot be an id is the id of nothing. */
function namespaceIn({ c }: DeviceCall): Result<NamespaceId | undefined, "not-found"> {
  const asked = c.req.query("namespace");
  if (asked === undefined) return ok(undefined);
  return isId(asked) ? ok(asked as NamespaceId) : fail("not-found");
}
