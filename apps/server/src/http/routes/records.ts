import { fail, isId, ok, type NamespaceId, type Result, type WriterId } from "@tidemark/protocol";
import { pull } from "../../domain/pull.ts";
import { answerLines } from "../answer.ts";
import type { Call, DeviceCall } from "../app-env.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";
import { syncProblem } from "../sync-problem.ts";

/** Longest cursor that is looked at, in characters. */
const cursorCharsMax = 512;

/** `GET …/records`: a pull, one page of states above the cursor. */
export function createPullHandler(parts: Parts): (call: DeviceCall) => Promise<Response> {
  return async (call) => {
    const namespace = pathId<NamespaceId>(call, "namespace");
    if (namespace === undefined) return problem(call.c, "not-found");
    const query = readQuery(call);
    if (!query.ok) return problem(call.c, query.error);
    const answer = await pull(parts.sync, { namespace, device: call.device.id, ...query.value });
    if (!answer.ok) return syncProblem(call, answer.error);
    return await answerLines(parts, call, answer.value);
  };
}

interface PullQuery {
  readonly writer: WriterId | undefined;
  readonly after: string | undefined;
  readonly limit: number | undefined;
}

function readQuery({ c }: Call): Result<PullQuery, "invalid"> {
  const writer = c.req.query("writer") ?? "";
  const after = c.req.query("after") ?? "";
  const limit = c.req.query("limit");
  if (writer !== "" && !isId(writer)) return fail("invalid");
  if (after.length > cursorCharsMax) return fail("invalid");
  if (limit !== undefined && !/^[1-9]\d{0,6}$/.test(limit)) return fail("invalid");
  return ok({
    writer: writer === "" ? undefined : (writer as WriterId),
    after: after === "" ? undefined : after,
    limit: limit === undefined ? undefined : Number(limit),
  });
}
