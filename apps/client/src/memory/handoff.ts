import {
  collections,
  fail,
  isArray,
  ok,
  recordId,
  type JsonObject,
  type JsonValue,
  type NamespaceId,
  type RecordId,
  type Result,
  type ValueError,
} from "@tidemark/protocol";
import type { InFlight } from "../capture/in-flight.ts";
import type { AgentStore } from "../store/agent-store.ts";
import type { ChangeError } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";
import type { RecordView } from "../store/reads/record-view.ts";
import { scrubFields } from "./scrub-content.ts";
import type { Scrub } from "./scrub.ts";

/** A piece of work that waits for whoever goes on with it. */
export interface Handoff extends InFlight {
  readonly id: RecordId;
  readonly namespace: NamespaceId;
  readonly project: string;
  /** For whom it is; null: for whoever left it, on any device. */
  readonly to: string | null;
  readonly author: RecordView["author"];
  readonly trust: number;
  readonly origin: "user" | "agent" | "web" | "import";
  readonly createdAt: number;
  /** Who has taken it up, and when; null while it waits. */
  readonly takenBy: string | null;
  readonly takenAt: number | null;
}

/** What is needed to leave one. */
export interface HandoffDeps {
  readonly store: Pick<AgentStore, "changes" | "reads" | "transact">;
  readonly scrub: Scrub;
  readonly random: { bytes(count: number): Uint8Array };
  readonly clock: { nowMs(): number };
}

/** Work that is to be left for the next session. */
export interface NewHandoff extends InFlight {
  readonly namespace: NamespaceId;
  readonly project: string;
  readonly to?: string | undefined;
  readonly agent?: string | undefined;
  readonly origin: "user" | "agent" | "web";
}

/** Longest single text of a handoff, in characters. */
const textCharsMax = 4_000;
const listMax = 32;

/** Why nothing was handed over. */
export type HandoffError = ChangeError | ValueError | { readonly kind: "no-task" };

/** Leaves work for the next session of its project (HO1). */
export function leaveHandoff(
  deps: HandoffDeps,
  input: NewHandoff,
): Result<{ readonly id: RecordId }, HandoffError> {
  if (input.task.trim() === "") return fail({ kind: "no-task" });
  const { namespace, to, agent, ...rest } = input;
  const nowMs = deps.clock.nowMs();
  const whole = scrubFields(deps.scrub, {
    ...rest,
    createdAt: nowMs,
    ...(to === undefined ? {} : { to }),
    ...(agent === undefined ? {} : { agent }),
  });
  if (!whole.ok) return whole;
  // Cut after it was scrubbed: half a secret is one that nothing recognises.
  const fields = scrubFields(deps.scrub, cutTexts(whole.value));
  if (!fields.ok) return fields;
  const id = recordId(deps.random.bytes(16));
  const put = { kind: "put", id, collection: collections.handoff, fields: fields.value } as const;
  const changed = deps.store.changes.change(namespace, [put], nowMs);
  return changed.ok ? ok({ id }) : changed;
}

/** Whose handoffs are looked for. */
export interface Taker {
  readonly project?: string | undefined;
  /** The person's name and id where this device is paired. */
  readonly names: readonly string[];
}

/** All handoffs in these namespaces, newest first. */
export function listHandoffs(
  reads: Pick<AgentStore["reads"], "records">,
  namespaces: readonly NamespaceId[],
): readonly Handoff[] {
  return reads.records(collections.handoff, namespaces).map(handoffOf);
}

/** Those that nobody took up, newest first; the others, of years, are not read (HO7). */
export function listUntaken(
  reads: Pick<AgentStore["reads"], "recordsWithout">,
  namespaces: readonly NamespaceId[],
): readonly Handoff[] {
  const wanted = { collection: collections.handoff, field: "takenBy" };
  return reads.recordsWithout(wanted, namespaces).map(handoffOf);
}

/** Those of a person's that wait in a project, newest first (HO2). */
export function waitingFor(
  handoffs: readonly Handoff[],
  { project, names }: Taker,
): readonly Handoff[] {
  const own = new Set(names.map((name) => name.toLowerCase()));
  return handoffs.filter((each) => {
    if (each.takenBy !== null || (project !== undefined && each.project !== project)) return false;
    // A person's own devices alone are trusted that far.
    if (each.to === null) return each.trust >= ownTrustMin;
    return own.has(each.to.toLowerCase()) && each.trust >= mateTrustMin;
  });
}

/**
 * Those of a person's own that no session is given by itself, for a page may have put words into them
 * (MC15): the person looks at them, and leaves them anew.
 */
export function waitingForPerson(
  handoffs: readonly Handoff[],
  { project, own }: { readonly project: string; readonly own: ReadonlySet<NamespaceId> },
): readonly Handoff[] {
  return handoffs.filter((each) => {
    const waits = each.takenBy === null && each.project === project && each.to === null;
    return waits && each.origin === "web" && own.has(each.namespace);
  });
}

const ownTrustMin = 3;
const mateTrustMin = 2;

/** Takes one up, once: false where another session was faster (HO3). */
export function takeHandoff(
  deps: HandoffDeps,
  handoff: Handoff,
  by: string,
): Result<boolean, ChangeError | ValueError> {
  const nowMs = deps.clock.nowMs();
  const fields = scrubFields(deps.scrub, { takenBy: by, takenAt: nowMs });
  if (!fields.ok) return fields;
  return deps.store.transact(() => {
    const found = deps.store.reads.find(handoff.id);
    if (!found.ok || typeof found.value.fields["takenBy"] === "string") return ok(false);
    const set = { kind: "set", id: handoff.id, fields: fields.value } as const;
    const changed = deps.store.changes.change(handoff.namespace, [set], nowMs);
    return changed.ok ? ok(true) : changed;
  });
}

/** A record as a handoff; what has another shape counts as not there. */
export function handoffOf(view: RecordView): Handoff {
  const text = (name: string): string => textIn(view.fields[name]) ?? "";
  const texts = (name: string): readonly string[] => {
    const value = view.fields[name];
    return isArray(value) ? value.filter((each) => typeof each === "string") : [];
  };
  const { id, namespace, author, trust } = view;
  return {
    id,
    namespace,
    author,
    trust,
    project: text("project"),
    task: text("task"),
    state: text("state"),
    next: text("next"),
    questions: texts("questions"),
    files: texts("files"),
    turns: texts("turns"),
    to: textIn(view.fields["to"]) ?? null,
    origin: originIn(view.fields["origin"]),
    createdAt: numberIn(view.fields["createdAt"]) ?? view.createdAtMs,
    takenBy: textIn(view.fields["takenBy"]) ?? null,
    takenAt: numberIn(view.fields["takenAt"]) ?? null,
  };
}

/** A handoff as recall shows records to an agent: the task first, then all that there is to know. */
export function shownHandoff(handoff: Handoff): Observation {
  const { id, namespace, project, author, trust, origin, createdAt, questions, turns } = handoff;
  const labelled = (label: string, text: string): readonly string[] =>
    text === "" ? [] : [`${label}: ${text}`];
  return {
    id,
    namespace,
    project,
    author,
    trust,
    origin,
    createdAt,
    kind: collections.handoff,
    title: handoff.task,
    narrative: [...labelled("so far", handoff.state), ...labelled("next", handoff.next)].join("\n"),
    facts: [...questions.map((each) => `open: ${each}`), ...turns],
    concepts: [],
    filesRead: [],
    filesModified: handoff.files,
    pinned: false,
    archived: false,
    supersededBy: null,
    editedBy: null,
    reviewed: false,
    agent: null,
    session: null,
    lamport: 0,
    seq: null,
  };
}

function originIn(value: JsonValue | undefined): Handoff["origin"] {
  return value === "user" || value === "web" || value === "import" ? value : "agent";
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberIn(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function cutTexts(fields: JsonObject): JsonObject {
  const cut = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return value.slice(0, textCharsMax);
    return isArray(value) ? value.slice(0, listMax).map((each) => cut(each)) : value;
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cut(value)]));
}
