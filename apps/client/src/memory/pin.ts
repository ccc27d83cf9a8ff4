import type { Result } from "@tidemark/protocol";
import type { Changed } from "../store/store.ts";
import type { MemoryDeps } from "./deps.ts";
import { setFields, type EditError } from "./edit.ts";

/** Keeps an observation in every session's context. */
export function pinObservation(deps: MemoryDeps, id: string): Result<Changed, EditError> {
  return setFields(deps, id, { pinned: true });
}

/** Undoes {@link pinObservation}. */
export function unpinObservation(deps: MemoryDeps, id: string): Result<Changed, EditError> {
  return setFields(deps, id, { pinned: false });
}

/** Hides an observation from lists, search and context; nothing is lost. */
export function archiveObservation(deps: MemoryDeps, id: string): Result<Changed, EditError> {
  return setFields(deps, id, { archived: true });
}

/** Undoes {@link archiveObservation}. */
export function unarchiveObservation(deps: MemoryDeps, id: string): Result<Changed, EditError> {
  return setFields(deps, id, { archived: false });
}
