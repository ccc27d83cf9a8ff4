import {
  fail,
  isArray,
  isObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from "@tidemark/protocol";
import type { AgentFile } from "./agent-setup.ts";
import { startedBy } from "./command-line.ts";
import { malformed, type EditError } from "./edit-error.ts";
import { editJson, isSame, valueAt, type JsonStep } from "./json-settings.ts";

/** One event that an agent is to tell of. */
export interface HookEntry {
  readonly event: string;
  /** One group as the agent wants it: a matcher where it has any, and one handler. */
  readonly group: JsonObject;
}

/** Hooks in the shape of Claude Code: by event, groups of a matcher and handlers. */
export interface HookEntries {
  readonly path: string;
  /** The agent's name behind `tidemark hook`. */
  readonly agent: string;
  readonly entries: readonly HookEntry[];
  /** Members that the file has to have beside the hooks, where it has none of the name. */
  readonly beside?: JsonObject;
}

/**
 * Wires hooks into a JSON settings file. Hooks of Tidemark's that stand there already, written by an
 * earlier version or by hand, are replaced, so that nothing is captured twice; all others stay.
 */
export function hookFile({ path, agent, entries, beside = {} }: HookEntries): AgentFile {
  const groupByEvent = new Map(entries.map(({ event, group }) => [event, group]));
  const edit =
    (wanted: ReadonlyMap<string, JsonObject>) =>
    (root: JsonValue): Result<readonly JsonStep[], EditError> => {
      const hooks = valueAt(root, ["hooks"]) ?? {};
      if (!isObject(hooks)) return fail(malformed("hooks"));
      const events = new Set([...Object.keys(hooks), ...wanted.keys()]);
      const steps: JsonStep[] = wanted.size > 0 ? [...missing(root, beside)] : [];
      for (const event of events) {
        const groups = hooks[event] ?? [];
        if (!isArray(groups)) return fail(malformed(`hooks.${event}`));
        steps.push(...stepsFor({ event, groups, agent, group: wanted.get(event) }));
      }
      if (wanted.size > 0) return ok(steps);
      return ok(cleared({ root, hooks, agent, beside }, steps));
    };
  return {
    path,
    part: "hooks",
    install: (text) => editJson(text, edit(groupByEvent)),
    uninstall: (text) => editJson(text, edit(new Map())),
  };
}

function missing(root: JsonValue, beside: JsonObject): readonly JsonStep[] {
  return Object.entries(beside)
    .filter(([name]) => valueAt(root, [name]) === undefined)
    .map(([name, value]) => ({ kind: "set", path: [name], value }));
}

interface EventHooks {
  readonly event: string;
  readonly groups: readonly JsonValue[];
  readonly agent: string;
  readonly group: JsonObject | undefined;
}

function stepsFor({ event, groups, agent, group }: EventHooks): readonly JsonStep[] {
  const path = ["hooks", event];
  const places = groups.flatMap((each, index) => ownHandlers(each, agent, [...path, index]));
  const isThere = groups.some((each) => group !== undefined && isSame(each, group));
  if (isThere && places.length === 1) return [];
  // From the last one on: those before keep their places.
  const removed = places.toReversed().map((place) => ({
    kind: "set" as const,
    path: place,
    value: undefined,
  }));
  return group === undefined ? removed : [...removed, { kind: "append", path, value: group }];
}

/** Where handlers of Tidemark's stand in a group; the group itself where it has no others. */
function ownHandlers(
  group: JsonValue,
  agent: string,
  path: readonly (string | number)[],
): readonly (readonly (string | number)[])[] {
  const handlers = valueAt(group, ["hooks"]);
  // Some agents have no groups: the handlers stand in the event's own array.
  if (!isArray(handlers)) return isOwnHandler(group, agent) ? [path] : [];
  const own = handlers.flatMap((each, index) => (isOwnHandler(each, agent) ? [index] : []));
  if (own.length > 0 && own.length === handlers.length) return [path];
  return own.map((index) => [...path, "hooks", index]);
}

function isOwnHandler(handler: JsonValue, agent: string): boolean {
  const line = startedBy(handler);
  return new RegExp(String.raw`(?:tidemark|main\.js)['"]? +hook +${agent}\b`, "u").test(line);
}

interface Installed {
  readonly root: JsonValue;
  readonly hooks: JsonObject;
  readonly agent: string;
  readonly beside: JsonObject;
}

/** What is empty once the hooks are out goes with them. */
function cleared(installed: Installed, steps: readonly JsonStep[]): readonly JsonStep[] {
  const { hooks, agent } = installed;
  const emptied = Object.entries(hooks).filter(
    ([, groups]) => isArray(groups) && groups.length > 0 && isAllOwn(groups, agent),
  );
  if (emptied.length === 0) return steps;
  if (emptied.length === Object.keys(hooks).length) return allGone(installed);
  const names = new Set(emptied.map(([event]) => event));
  const others = steps.filter(({ path }) => !names.has(String(path[1])));
  return [...others, ...emptied.map(([event]) => removal(["hooks", event]))];
}

// A file with nothing but what hooks need beside them held hooks alone.
function allGone({ root, beside }: Installed): readonly JsonStep[] {
  const names = Object.keys(beside).filter((name) => isSame(valueAt(root, [name]), beside[name]));
  const isAlone = isObject(root) && Object.keys(root).length === names.length + 1;
  return [removal(["hooks"]), ...(isAlone ? names.map((name) => removal([name])) : [])];
}

function removal(path: readonly string[]): JsonStep {
  return { kind: "set", path, value: undefined };
}

function isAllOwn(groups: readonly JsonValue[], agent: string): boolean {
  return groups.every((group) => ownHandlers(group, agent, []).some(({ length }) => length === 0));
}
