import {
  collections,
  derivedId,
  fail,
  isCredibleTime,
  ok,
  type RecordId,
  type Result,
  type Sha256,
  visibleText,
} from "@tidemark/protocol";
import type { Observation } from "../../store/observation.ts";
import type { RecordView } from "../../store/store.ts";
import { cutPart } from "../content.ts";
import type { MemoryDeps } from "../deps.ts";
import { scrubCaptured, scrubFields } from "../scrub-content.ts";
import { summaryLimits } from "./limits.ts";

const { keptCharsMax, titleCharsMax } = summaryLimits;

/** One of those that a summary was made of. */
export type Source = Pick<Observation, "id" | "origin">;

/** A session's summary has one id, whoever makes it, however often, before pairing and after (SM7). */
export function summaryId(sha256: Sha256, session: RecordId): RecordId {
  return derivedId(sha256, "summary", [session]);
}

/**
 * Stores a summariser's answer as one observation (SM6, SM7): scrubbed whole before anything is cut,
 * without characters that hide what it says, of origin `agent`, or of a tool's where one of its sources
 * is, with what it was made of.
 */
export function keepSummary(
  deps: MemoryDeps,
  session: RecordView,
  { text, sources }: { readonly text: string; readonly sources: readonly Source[] },
): Result<RecordId, "empty" | "not-stored"> {
  const clean = visibleText(deps.scrub.text(visibleText(text))).trim();
  if (clean === "") return fail("empty");
  const told = cutPart(clean, { unit: "characters", max: keptCharsMax });
  const parts = { facts: [], concepts: [], filesRead: [], filesModified: [] };
  const content = scrubCaptured(deps.scrub, { ...titled(told, session), ...parts });
  const nowMs = deps.clock.nowMs();
  const { endedAt, project } = session.fields;
  const isBelieved = typeof endedAt === "number" && isCredibleTime(endedAt, nowMs);
  const context = scrubFields(deps.scrub, {
    kind: "digest",
    origin: originOf(sources),
    agent: "summariser",
    createdAt: isBelieved ? endedAt : nowMs,
    session: session.id,
    sources: sources.map(({ id }) => id),
    ...(typeof project === "string" ? { project } : {}),
  });
  if (!content.ok || !context.ok) return fail("not-stored");
  const { namespace } = session;
  const id = summaryId(deps.sha256, session.id);
  const fields = { ...content.value, ...context.value };
  const put = { kind: "put", id, collection: collections.observation, fields } as const;
  return deps.store.changes.change(namespace, [put], nowMs).ok ? ok(id) : fail("not-stored");
}

/** What is said of a tool's output is trusted no further than that: no summary lifts it. */
function originOf(sources: readonly Source[]): "agent" | "tool" {
  return sources.some(({ origin }) => origin === "tool") ? "tool" : "agent";
}

/** Its first line as title where it is one, else the session's own title. */
function titled(
  text: string,
  { id, fields }: RecordView,
): { readonly title: string; readonly narrative: string } {
  const end = text.indexOf("\n");
  const first = (end < 0 ? text : text.slice(0, end)).trim();
  const rest = end < 0 ? "" : text.slice(end + 1).trim();
  if (first.length <= titleCharsMax) return { title: first, narrative: rest };
  const { title } = fields;
  return { title: typeof title === "string" && title !== "" ? title : id, narrative: text };
}
