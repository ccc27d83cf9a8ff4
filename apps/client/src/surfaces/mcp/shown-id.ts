import { fail, ok, type Result } from "@tidemark/protocol";
import type { Observation } from "../../store/observation.ts";
import type { FindError } from "../../store/store.ts";
import type { McpDeps } from "./deps.ts";

type Named = Pick<Observation, "namespace" | "id">;

/** Everything that an id, or a beginning of one, may mean. */
export function foundIds(found: Result<Named, FindError>): readonly Named[] {
  if (found.ok) return [found.value];
  return found.error.kind === "ambiguous" ? found.error.ids : [];
}

/**
 * The whole id of a record that a tool is to change. What stands in quarantine is not there for an
 * agent, not even by name (QU5).
 */
export function shownId({ memory }: McpDeps, id: string): Result<string, FindError> {
  const { reads } = memory.store;
  const found = reads.find(id);
  const named = foundIds(found);
  const shown = named.filter((one) => reads.observation(one.namespace, one.id)?.trust !== 0);
  const [first] = shown;
  if (first === undefined)
    return named.length > 0 || found.ok ? fail({ kind: "unknown-record", id }) : found;
  const ids = new Set(shown.map((one) => one.id));
  return ids.size === 1 ? ok(first.id) : fail({ kind: "ambiguous", id, ids: shown });
}
