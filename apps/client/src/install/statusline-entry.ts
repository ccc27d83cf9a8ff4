import { ok, type JsonObject, type JsonValue } from "@tidemark/protocol";
import type { AgentFile } from "./agent-setup.ts";
import { startedBy } from "./command-line.ts";
import { editJson, isSame, valueAt, type JsonEdit } from "./json-settings.ts";

const member = "statusLine";

/**
 * Gives Claude Code a status line where it has none (IN10). One that a person has set stays, at an
 * install and at an uninstall.
 */
export function statuslineFile(path: string, command: string): AgentFile {
  const wanted: JsonObject = { type: "command", command };
  const install: JsonEdit = (root) => {
    const found = valueAt(root, [member]);
    const isTaken = found !== undefined && !isOurs(found);
    if (isTaken || isSame(valueAt(found ?? null, ["command"]), command)) return ok([]);
    return ok([{ kind: "set", path: [member], value: wanted }]);
  };
  const uninstall: JsonEdit = (root) => {
    const found = valueAt(root, [member]);
    if (found === undefined || !isOurs(found)) return ok([]);
    return ok([{ kind: "set", path: [member], value: undefined }]);
  };
  return {
    path,
    part: "status line",
    install: (text) => editJson(text, install),
    uninstall: (text) => editJson(text, uninstall),
  };
}

/** Whether it is the line that `tidemark install` has set, and nothing that a person built around it. */
function isOurs(entry: JsonValue): boolean {
  return /^(?:'(?:[^']|'\\'')*tidemark'|[^\s']*tidemark) statusline$/u.test(startedBy(entry));
}
