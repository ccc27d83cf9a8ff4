import { isId } from "@tidemark/protocol";
import type { Call } from "./app-env.ts";

/** An id out of the path; undefined, which answers 404, for what cannot be one. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which id its path names
export function pathId<Id extends string>(call: Pick<Call, "c">, name: string): Id | undefined {
  const text = call.c.req.param(name);
  return text !== undefined && isId(text) ? (text as Id) : undefined;
}
