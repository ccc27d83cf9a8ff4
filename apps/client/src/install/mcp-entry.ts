import { fail, isObject, ok, type JsonObject, type JsonValue } from "@tidemark/protocol";
import type { AgentFile } from "./agent-setup.ts";
import { startedBy } from "./command-line.ts";
import { malformed } from "./edit-error.ts";
import { editJson, isSame, valueAt, type JsonEdit } from "./json-settings.ts";
import type { JsonPath } from "./json-splice.ts";

/** The MCP server's name in every agent: hooks know the server's tools by it. */
export const mcpName = "tidemark";

/** Where an agent lists its MCP servers, and what an entry looks like there. */
export interface McpEntry {
  readonly path: string;
  /** The member that holds all servers, by name. */
  readonly at: JsonPath;
  readonly entry: JsonObject;
}

/**
 * Registers the MCP server in a JSON settings file. What a person has added to the entry, such as
 * tools that need no asking, is kept; a server of somebody else's that has the name is left alone.
 */
export function mcpFile({ path, at, entry }: McpEntry): AgentFile {
  const own = [...at, mcpName];
  const install: JsonEdit = (root) => {
    const found = valueAt(root, own);
    if (found === undefined) {
      const servers = valueAt(root, at) ?? null;
      if (servers !== null && !isObject(servers)) return fail(malformed(at.join(".")));
      return ok([{ kind: "set", path: own, value: entry }]);
    }
    if (!isOurs(found)) return fail(foreign(at));
    const differing = Object.entries(entry).filter(
      ([name, value]) => !isSame(valueAt(found, [name]), value),
    );
    return ok(differing.map(([name, value]) => ({ kind: "set", path: [...own, name], value })));
  };
  const uninstall: JsonEdit = (root) => {
    const found = valueAt(root, own);
    if (found === undefined || !isOurs(found)) return ok([]);
    const servers = valueAt(root, at);
    const isLast = isObject(servers) && Object.keys(servers).length === 1;
    return ok([{ kind: "set", path: isLast ? at : own, value: undefined }]);
  };
  return {
    path,
    part: "MCP server",
    install: (text) => editJson(text, install),
    uninstall: (text) => editJson(text, uninstall),
  };
}

function foreign(at: JsonPath): { message: string; hint: string } {
  return {
    message: `another MCP server has the name ${mcpName} in "${at.join(".")}"`,
    hint: "rename or remove that entry, then run this again",
  };
}

/** Whether an entry starts Tidemark, as this version writes it or as a person has. */
function isOurs(entry: JsonValue): boolean {
  const line = startedBy(entry);
  return /\bmcp$/u.test(line) && /tidemark|client\/dist\/main\.js/u.test(line);
}
