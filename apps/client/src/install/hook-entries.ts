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
import type { EditError } from "./edit-error.ts";
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
}

/**
 * Wires hooks into a JSON settings file. Hooks of Tidemark's that stand there already, written by an
 * earlier version or by hand, are replaced, so that nothing is captured twice; all others stay.
 */
export function hookFile({ path, agent, entries }: HookEntries): AgentFile {
  const groupByEvent = new Map(entries.map(({ event, group }) => [event, group]));
  const edit =
    (wanted: ReadonlyMap<string, JsonObject>) =>
    (root: JsonValue): Result<readonly JsonStep[], EditError> => {
      const hooks = valueAt(root, ["hooks"]) ?? {};
      if (!isObject(hooks)) return fail(malformed("hooks"));
      const events = new Set([...Object.keys(hooks), ...wanted.keys()]);
      const steps: JsonStep[] = [];
      for (const event of events) {
        const groups = hooks[event] ?? [];
        if (!isArray(groups)) return fail(malformed(`hooks.${event}`));
        steps.push(...stepsFor({ event, groups, agent, group: wanted.get(event) }));
      }
      return ok(wanted.size > 0 ? steps : cleared(hooks, agent, steps));
    };
  return {
    path,
    part: "hooks",
    install: (text) => editJson(text, edit(groupByEvent)),
    uninstall: (text) => editJson(text, edit(new Map())),
  };
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

/** What is empty once the hooks are out goes with them. */
function cleared(
  hooks: JsonObject,
  agent: string,
  steps: readonly JsonStep[],
): readonly JsonStep[] {
  const emptied = Object.entries(hooks).filter(
    ([, groups]) => isArray(groups) && groups.length > 0 && isAllOwn(groups, agent),
  );
  if (emptied.length === 0) return steps;
  if (emptied.length === Object.keys(hooks).length)
    return [{ kind: "set", path: ["hooks"], value: undefined }];
  const names = new Set(emptied.map(([event]) => event));
  const others = steps.filter(({ path }) => !names.has(String(path[1])));
  const removed = emptied.map(([event]) => ({
    kind: "set" as const,
    path: ["hooks", event],
    value: undefined,
  }));
  return [...others, ...removed];
}

function isAllOwn(groups: readonly JsonValue[], agent: string): boolean {
  return groups.every((group) => ownHandlers(group, agent, []).some(({ length }) => length === 0));
}

function malformed(member: string): EditError {
  return {
    message: `"${member}" is not what the agent reads there`,
    hint: "mend it by hand, then run this again",
  };
}
