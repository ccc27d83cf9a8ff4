import { fail, type Result, type Sha256 } from "@tidemark/protocol";
import type { AgentEvent } from "../../capture/event.ts";
import type { Config } from "../../config/settings.ts";
import { namespacesOfScrubbed } from "../../memory/bound-project.ts";
import { captureEvent, scrubPayload, sessionRecordId } from "../../memory/capture.ts";
import type { Scrub } from "../../memory/scrub.ts";
import { drainSpool, spoolEvent, type DrainReport, type Spool } from "../../memory/spool.ts";
import type { Work } from "../../recall/work.ts";
import type { AgentStore } from "../../store/agent-store.ts";
import { attempt, type StoreError } from "../../store/store-error.ts";
import { hookAgents, quietSkips, type HookAgent } from "./agents.ts";
import type { ContextBuilder } from "./context-builder.ts";

/** What a hook needs from outside; the entry wires it. */
export interface HookDeps {
  readonly config: Pick<Config, "contextTokens">;
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  readonly sha256: Sha256;
  readonly scrub: Scrub;
  readonly spool: Spool;
  readonly openStore: () => Result<AgentStore, StoreError>;
  /** Lets go of a store at the end, once nobody waits for anything of it. */
  readonly leaveStore: (store: AgentStore) => void;
  readonly contextBuilder: (store: AgentStore) => ContextBuilder;
  /** Project of a folder, its name scrubbed as it is stored; the folder comes scrubbed. */
  readonly projectOf: (folder: string | undefined) => string;
  readonly workAt: (folder: string | undefined) => Work;
  /** Writes what the host reads. */
  readonly answer: (text: string) => void;
  /** Starts a bounded sync that outlives the hook, if one is due. */
  readonly startSync: () => void;
  readonly log: {
    debug(event: string, facts?: Readonly<Record<string, string | number | boolean>>): void;
    warn(event: string, facts?: Readonly<Record<string, string | number | boolean>>): void;
  };
  /** Counts what was not captured. */
  readonly noteSkip: (reason: string) => void;
}

/** What the host passed. */
export interface HookCall {
  readonly agent: string;
  readonly event: string;
  readonly stdin:
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "too-large"; readonly bytes: number };
}

/** Own time for work that may be left out, in milliseconds: a host waits for the hook (HK2). */
const hookMsMax = 1_000;
/** Time for what an earlier hook could not store, in milliseconds. */
const drainMsMax = 200;
/** How long events of a session are kept to look back on, in milliseconds: 30 days. */
const historyMsMax = 2_592_000_000;

/** Captures one hook call, and answers it where the agent takes an answer (HK1). */
export function runHook(deps: HookDeps, call: HookCall): void {
  const startMs = deps.clock.nowMs();
  const agent = hookAgents.get(call.agent);
  if (agent === undefined) {
    skip(deps, "unknown agent");
    return;
  }
  const [event, ...more] = readEvents(deps, agent, call);
  if (event === undefined) return;
  const place = { project: deps.projectOf(event.cwd), atMs: startMs };
  const opened = deps.openStore();
  const events = [event, ...more];
  if (!opened.ok) return spool(deps, events, { place, trouble: opened.error });
  const store = opened.value;
  const stored = storeBehindSpool(deps, store, { events, place });
  if (!stored.ok) {
    spool(deps, events, { place, trouble: stored.error });
    readWithoutWrites(deps, store, { agent, event, place, startMs });
    return;
  }
  afterCapture(deps, store, { agent, event, place, startMs });
  deps.leaveStore(store);
}

interface Place {
  readonly project: string;
  readonly atMs: number;
}

function readEvents(deps: HookDeps, agent: HookAgent, call: HookCall): readonly AgentEvent[] {
  if (!agent.isKnown(call.event)) return skip(deps, "unknown event");
  if (call.stdin.kind === "too-large") return skip(deps, "too large");
  const payload = parseJson(call.stdin.text);
  if (payload === undefined) return skip(deps, "not json");
  const parsed = agent.parse(call.event, scrubPayload(deps.scrub, payload.value));
  if (!parsed.ok) return skip(deps, parsed.skip.reason);
  // What happens on the way, such as a permission that is asked for, says nothing a tool's use
  // does not say better.
  return parsed.event.event === "other" ? nothing : [parsed.event, ...(parsed.more ?? [])];
}

const nothing: readonly never[] = [];

/**
 * Stores events behind those that wait in the spool (HK80): a command that passes tells a fix only
 * where its failure was captured before. Where those are too many for a hook, these wait behind them.
 */
function storeBehindSpool(
  deps: HookDeps,
  store: AgentStore,
  { events, place }: { readonly events: readonly AgentEvent[]; readonly place: Place },
): Result<void, StoreError> {
  const untilMs = Math.min(deps.clock.nowMs() + drainMsMax, place.atMs + hookMsMax);
  const cutBy = emptySpool(deps, store, untilMs);
  if (cutBy !== undefined && cutBy !== "time") return fail(cutBy);
  return attempt(() => {
    for (const event of events) {
      const waits = cutBy === "time" && spoolEvent(deps.spool, deps.scrub, event, place);
      if (!waits) capture(deps, store, { event, place });
    }
  });
}

function emptySpool(deps: HookDeps, store: AgentStore, untilMs: number): DrainReport["cutBy"] {
  try {
    return drainSpool({ ...deps, store }, deps.spool, untilMs).cutBy;
  } catch {
    // This call's own event is not safe yet.
    deps.log.warn("spool-not-drained");
    return undefined;
  }
}

function capture(
  deps: HookDeps,
  store: AgentStore,
  { event, place }: { readonly event: AgentEvent; readonly place: Place },
): void {
  const namespace = namespacesOfScrubbed({ store, scrub: deps.scrub })(place.project);
  const captured = captureEvent({ ...deps, store }, event, { ...place, namespace });
  if (!captured.ok) {
    skip(deps, captured.error.kind);
    return;
  }
  const { isNew, added, refused } = captured.value;
  deps.log.debug("captured", { kind: event.event, isNew, added: added.length, refused });
}

interface Captured {
  readonly agent: HookAgent;
  readonly event: AgentEvent;
  readonly place: Place;
  readonly startMs: number;
}

/** The event is safe: what follows may fail without losing anything. */
function afterCapture(deps: HookDeps, store: AgentStore, captured: Captured): void {
  const { event, startMs } = captured;
  const now = deps.clock.nowMs();
  const after = attempt(() => {
    if (now - startMs < hookMsMax) answerContext(deps, store, captured);
    if (event.event === "session-end") store.sessions.trim(startMs - historyMsMax);
  });
  if (!after.ok) deps.log.warn("hook-unfinished", { kind: after.error.kind });
  if (["session-start", "turn-end", "session-end"].includes(event.event)) deps.startSync();
}

/**
 * What cannot be written just now can be read for the most part: a session starts with its memory
 * (HK15). A prompt gets nothing, for nobody would know afterwards that it was given.
 */
function readWithoutWrites(deps: HookDeps, store: AgentStore, captured: Captured): void {
  if (captured.event.event !== "session-start") return;
  const read = attempt(() => {
    answerContext(deps, store, captured);
  });
  if (!read.ok) deps.log.warn("hook-unfinished", { kind: read.error.kind });
}

function answerContext(deps: HookDeps, store: AgentStore, captured: Captured): void {
  const { agent, event, place } = captured;
  const moment = event.event;
  if (moment !== "session-start" && moment !== "prompt") return;
  // What is given counts as given: nothing is built where nobody takes it.
  if (!agent.contextEvents.has(event.name)) return;
  if (deps.config.contextTokens === 0 || event.agentId !== undefined) return;
  const context = deps.contextBuilder(store).build({
    event: moment,
    work: moment === "session-start" ? deps.workAt(event.cwd) : undefined,
    session: sessionRecordId(deps.sha256, event.agent, event.sessionId),
    project: place.project,
    charsMax: agent.contextCharsMax,
    ...(event.prompt === undefined ? {} : { prompt: event.prompt }),
    ...(event.source === undefined ? {} : { source: event.source }),
  });
  if (context === undefined || context === "") return;
  // A context over the limit would be cut by the host, fence and all: then none is better.
  if (context.length > agent.contextCharsMax) {
    skip(deps, "context too long");
    return;
  }
  deps.answer(agent.contextAnswer(event.name, context));
}

function spool(
  deps: HookDeps,
  events: readonly AgentEvent[],
  { place, trouble }: { readonly place: Place; readonly trouble: StoreError },
): void {
  // Those that were stored already are known by their keys.
  for (const event of events) {
    const isSpooled = spoolEvent(deps.spool, deps.scrub, event, place);
    deps.log.warn("capture-spooled", { kind: trouble.kind, isSpooled });
    if (!isSpooled) deps.noteSkip(trouble.kind);
  }
}

function skip(deps: HookDeps, reason: string): readonly never[] {
  if (quietSkips.has(reason)) {
    deps.log.debug("capture-skipped", { reason });
  } else {
    deps.log.warn("capture-skipped", { reason });
    deps.noteSkip(reason);
  }
  return nothing;
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    // Some hosts begin with a byte order mark.
    return { value: JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) };
  } catch {
    return undefined;
  }
}
