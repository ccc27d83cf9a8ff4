import { isObject, type JsonValue, type Result } from "@tidemark/protocol";
import type { AgentEvent } from "../capture/event.ts";
import { attempt } from "../store/store-error.ts";
import { captureEvent } from "./capture.ts";
import type { CaptureDeps } from "./deps.ts";
import type { Scrub } from "./scrub.ts";
import { slimEvent } from "./slim-event.ts";

/** Lines that wait for the database, as `platform/` keeps them. */
export interface Spool {
  append(line: string): Result<void, { readonly kind: string }>;
  hasLines(): boolean;
  claim(): readonly {
    readonly lines: readonly string[];
    finish(rest: readonly string[]): void;
  }[];
}

/** What a drain needs. */
export interface DrainDeps extends CaptureDeps {
  readonly clock: { nowMs(): number };
}

/** What a drain did. */
export interface DrainReport {
  readonly drained: number;
  /** Lines left for the next drain. */
  readonly left: number;
  /** Lines that a kill or a full disk cut short. */
  readonly unreadable: number;
}

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
  const line = { event: scrubbed.value, project: project.value, atMs: place.atMs };
  return spool.append(JSON.stringify(line)).ok;
}

/**
 * Captures what waits in the spool (HK21), until `untilMs`. Trouble of the store ends the drain and
 * keeps the rest; a line that meets a bug is kept and passed over, so that it blocks no other. An
 * event that was captured before does nothing, so a drain that is cut off and repeated is harmless.
 */
export function drainSpool(deps: DrainDeps, spool: Spool, untilMs: number): DrainReport {
  const report = { drained: 0, left: 0, unreadable: 0 };
  if (!spool.hasLines()) return report;
  let isOpen = true;
  for (const part of spool.claim()) {
    const rest: string[] = [];
    for (const line of part.lines) {
      const outcome = isOpen && deps.clock.nowMs() <= untilMs ? drainLine(deps, line) : "left";
      if (outcome === "store-trouble") isOpen = false;
      if (outcome === "drained" || outcome === "unreadable") report[outcome] += 1;
      else rest.push(line);
    }
    part.finish(rest);
    report.left += rest.length;
  }
  return report;
}

function drainLine(
  deps: CaptureDeps,
  line: string,
): "drained" | "unreadable" | "store-trouble" | "left" {
  try {
    const captured = attempt(() => captureLine(deps, line));
    if (!captured.ok) return "store-trouble";
    return captured.value ? "drained" : "unreadable";
  } catch {
    return "left";
  }
}

function captureLine(deps: CaptureDeps, line: string): boolean {
  const spooled = parseLine(line);
  if (spooled === undefined) return false;
  const { event, project, atMs } = spooled;
  const namespace = deps.store.bindings.namespaceOf(project);
  return captureEvent(deps, event, { namespace, project, atMs }).ok;
}

function parseLine(
  line: string,
): { readonly event: AgentEvent; readonly project: string; readonly atMs: number } | undefined {
  const root = parse(line);
  if (!isObject(root)) return undefined;
  const { event, project, atMs } = root;
  if (!isObject(event) || typeof project !== "string" || typeof atMs !== "number") return undefined;
  const names = ["agent", "event", "name", "sessionId", "key"];
  if (!names.every((name) => typeof event[name] === "string")) return undefined;
  return { event: event as unknown as AgentEvent, project, atMs };
}

function parse(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}
