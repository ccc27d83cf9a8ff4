import { isObject, type JsonObject, type JsonValue, type Result } from "@tidemark/protocol";
import type { AgentEvent } from "../capture/event.ts";
import { attempt, type StoreError } from "../store/store-error.ts";
import { namespacesOfScrubbed } from "./bound-project.ts";
import { captureEvent } from "./capture.ts";
import type { CaptureDeps } from "./deps.ts";
import type { Scrub } from "./scrub.ts";
import { slimEvent } from "./slim-event.ts";

/** Lines that wait for the database, as `platform/` keeps them. */
export interface Spool {
  append(line: string): Result<void, { readonly kind: string }>;
  hasLines(): boolean;
  claim(): Iterable<{
    readonly lines: readonly string[];
    finish(rest: readonly string[]): void;
  }>;
}

/** What a drain needs. */
export interface DrainDeps extends CaptureDeps {
  readonly clock: { nowMs(): number };
}

/** What a drain did. */
export interface DrainReport {
  readonly drained: number;
  /** Lines that a kill or a full disk cut short. */
  readonly unreadable: number;
  /** What ended it before all that waits was looked at. */
  readonly cutBy?: "time" | StoreError;
}

/** Told in each line: what another version means by the same members, only that one knows (HK81). */
const lineVersion = 1;

/**
 * Keeps a captured event outside the database, which is locked, full, damaged or newer (HK20):
 * scrubbed once more right here, so that no path brings raw text to the disk (SC54).
 */
export function spoolEvent(
  spool: Spool,
  scrub: Scrub,
  event: AgentEvent,
  place: { readonly project: string; readonly atMs: number },
): boolean {
  const kept = event as unknown as JsonValue;
  const whole = scrub.value(kept);
  const scrubbed = whole.ok ? whole : scrub.value(slimEvent(kept));
  const project = scrub.value(place.project, "project");
  if (!scrubbed.ok || !project.ok) return false;
  const line = {
    v: lineVersion,
    event: scrubbed.value,
    project: project.value,
    atMs: place.atMs,
  };
  return spool.append(JSON.stringify(line)).ok;
}

/**
 * Captures what waits in the spool (HK21), oldest first, until `untilMs`, and for `msMin` at the least
 * once the first of it is read: a full spool takes longer to read than a turn may take, and would
 * never be taken in (CP96). Trouble of the store ends the drain and keeps the rest; a line that meets a
 * bug is kept and passed over, so that it blocks no other. An event that was captured before does
 * nothing, so a drain that is cut off and repeated is harmless.
 */
export function drainSpool(deps: DrainDeps, spool: Spool, untilMs: number, msMin = 0): DrainReport {
  const counts = { drained: 0, unreadable: 0 };
  if (!spool.hasLines()) return counts;
  const drain = { ...deps, namespaceOf: namespacesOfScrubbed(deps) };
  let endMs: number | undefined;
  for (const part of spool.claim()) {
    endMs ??= msMin === 0 ? untilMs : Math.max(untilMs, deps.clock.nowMs() + msMin);
    const { rest, cutBy, ...taken } = drainPart(drain, part.lines, endMs);
    counts.drained += taken.drained;
    counts.unreadable += taken.unreadable;
    // Where nothing was taken the part stays as it is: while a database is locked, each hook comes by.
    if (rest.length === 0 || rest.length < part.lines.length) part.finish(rest);
    if (cutBy !== undefined) return { ...counts, cutBy };
  }
  return counts;
}

interface Drain extends DrainDeps {
  readonly namespaceOf: ReturnType<typeof namespacesOfScrubbed>;
}

function drainPart(
  deps: Drain,
  lines: readonly string[],
  untilMs: number,
): DrainReport & { readonly rest: readonly string[] } {
  const counts = { drained: 0, unreadable: 0 };
  const rest: string[] = [];
  for (const [index, line] of lines.entries()) {
    const outcome = deps.clock.nowMs() > untilMs ? "time" : drainLine(deps, line);
    if (outcome === "drained" || outcome === "unreadable") counts[outcome] += 1;
    else if (outcome === "left") rest.push(line);
    else return { ...counts, rest: [...rest, ...lines.slice(index)], cutBy: outcome };
  }
  return { ...counts, rest };
}

function drainLine(deps: Drain, line: string): "drained" | "unreadable" | "left" | StoreError {
  const root = parse(line);
  if (!isObject(root)) return "unreadable";
  // A whole line of another shape is of a version that can read it (HK81).
  const spooled = spooledOf(root);
  if (spooled === undefined) return "left";
  try {
    const captured = attempt(() => captureSpooled(deps, spooled));
    if (!captured.ok) return captured.error;
    return captured.value ? "drained" : "unreadable";
  } catch {
    return "left";
  }
}

interface Spooled {
  readonly event: AgentEvent;
  readonly project: string;
  readonly atMs: number;
}

function captureSpooled(deps: Drain, { event, project, atMs }: Spooled): boolean {
  return captureEvent(deps, event, { namespace: deps.namespaceOf(project), project, atMs }).ok;
}

function spooledOf({ v = lineVersion, event, project, atMs }: JsonObject): Spooled | undefined {
  if (v !== lineVersion) return undefined;
  if (event === undefined || !isObject(event)) return undefined;
  if (typeof project !== "string" || typeof atMs !== "number") return undefined;
  const names = ["agent", "event", "name", "sessionId", "key"];
  if (!names.every((name) => typeof event[name] === "string")) return undefined;
  return { event: event as unknown as AgentEvent, project, atMs };
}

function parse(line: string): JsonValue {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return null;
  }
}
