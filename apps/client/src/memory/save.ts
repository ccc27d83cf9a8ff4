import {
  collections,
  ok,
  recordId,
  type JsonObject,
  type NamespaceId,
  type RecordId,
  type Result,
  type ValueError,
} from "@tidemark/protocol";
import type { ChangeError } from "../store/local-store.ts";
import type { Content, TooLong } from "./content.ts";
import type { MemoryDeps } from "./deps.ts";
import { scrubFields, scrubWritten } from "./scrub-content.ts";

/** What a person or an agent wants remembered. */
export interface SaveInput extends Partial<Content> {
  readonly namespace: NamespaceId;
  readonly title: string;
  /** `note` if absent. */
  readonly kind?: string;
  readonly project?: string;
  readonly agent?: string;
  /** Id of the session's record. */
  readonly session?: string;
  /** `user` only where a person typed it; set by the calling surface, never by its input (CP60). */
  readonly origin: "user" | "agent" | "web";
}

/** Why nothing was saved. */
export type SaveError = ChangeError | TooLong | ValueError | { readonly kind: "no-title" };

/** Saves an observation under a new random id. */
export function saveObservation(
  deps: MemoryDeps,
  input: SaveInput,
): Result<{ readonly id: RecordId; readonly namespace: NamespaceId }, SaveError> {
  if (input.title.trim() === "") return { ok: false, error: { kind: "no-title" } };
  const nowMs = deps.clock.nowMs();
  const content = scrubWritten(deps.scrub, contentOf(input));
  if (!content.ok) return content;
  const context = scrubFields(deps.scrub, contextOf(input, nowMs));
  if (!context.ok) return context;
  const id = recordId(deps.random.bytes(16));
  const fields = { ...content.value, ...context.value };
  const change = { kind: "put", id, collection: collections.observation, fields } as const;
  const changed = deps.store.changes.change(input.namespace, [change], nowMs);
  if (!changed.ok) return changed;
  return ok({ id, namespace: changed.value[0]?.namespace ?? input.namespace });
}

function contentOf(input: SaveInput): Content {
  const { title, narrative = "", facts = [], concepts = [] } = input;
  const { filesRead = [], filesModified = [] } = input;
  return { title, narrative, facts, concepts, filesRead, filesModified };
}

function contextOf(input: SaveInput, createdAt: number): JsonObject {
  const { kind = "note", origin, project, agent, session } = input;
  return {
    kind,
    origin,
    createdAt,
    ...(project === undefined ? {} : { project }),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
  };
}
