import { fail, ok, type NamespaceId, type Result } from "@tidemark/protocol";
import { pushHeaderSchema } from "@tidemark/protocol/wire";
import type { PushIntake } from "../../domain/push.ts";
import { answerJson } from "../answer.ts";
import type { Intake, Opening } from "../app-env.ts";
import { parseJson } from "../body.ts";
import type { Parts } from "../parts.ts";
import type { PushedOps } from "../middleware/observe.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";
import { syncProblem } from "../sync-problem.ts";

/**
 * `POST …/ops`: a push. The op lines go on as they came, because their bytes are hashed; and while
 * they come, so that all of a push but its end may be on its way before the one before is answered.
 */
export function createPushIntake(parts: Parts): (opening: Opening) => Intake {
  return (opening) => {
    let intake: Result<PushIntake, "invalid" | "not-found"> | undefined;
    return {
      onLines: (lines) => {
        const [first = "", ...rest] = lines;
        const isFirst = intake === undefined;
        intake ??= openIntake(parts, opening, first);
        if (intake.ok) intake.value.add(isFirst ? rest : lines);
      },
      drop: () => {
        if (intake?.ok) intake.value.drop();
      },
      answer: async (call) => {
        const opened = intake ?? openIntake(parts, opening, "");
        if (!opened.ok) return problem(call.c, opened.error);
        const answer = await opened.value.commit();
        if (!answer.ok) return syncProblem(call, answer.error);
        call.c.set("ops", countResults(call.lines.length - 1, answer.value.results));
        return await answerJson(parts, call, answer.value);
      },
    };
  };
}

function openIntake(
  parts: Parts,
  { c, device }: Opening,
  first: string,
): Result<PushIntake, "invalid" | "not-found"> {
  const namespace = pathId<NamespaceId>({ c }, "namespace");
  if (namespace === undefined) return fail("not-found");
  const header = parseJson(pushHeaderSchema, first);
  if (!header.ok) return header;
  return ok(parts.openPush({ namespace, device: device.id, header: header.value }));
}

function countResults(count: number, results: readonly { readonly result: string }[]): PushedOps {
  const byResult: Record<string, number> = {};
  for (const { result } of results) byResult[result] = (byResult[result] ?? 0) + 1;
  return { count, byResult };
}
