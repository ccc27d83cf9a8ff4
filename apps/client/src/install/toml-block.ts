import { parse, TomlError } from "smol-toml";
import { fail, ok, type JsonObject, type Result } from "@tidemark/protocol";
import type { AgentFile } from "./agent-setup.ts";
import type { EditError } from "./edit-error.ts";
import { mcpName } from "./mcp-entry.ts";

const begin = "# tidemark:start";
const end = "# tidemark:end";
const block = new RegExp(String.raw`\n*^${begin}\b[^]*?^${end}$\n?`, "mu");

/**
 * Registers the MCP server in a TOML settings file, as a block between two marks at its end: no
 * library edits TOML and keeps what people wrote. Whether the file still says all that it said
 * before is checked by reading both.
 */
export function tomlMcpFile(path: string, entry: JsonObject): AgentFile {
  return {
    path,
    part: "MCP server",
    install: (text) => {
      const rest = without(text);
      const before = parseToml(rest);
      if (!before.ok) return before;
      const servers = before.value["mcp_servers"];
      if (typeof servers === "object" && Object.hasOwn(servers, mcpName)) {
        const message = `it has a table [mcp_servers.${mcpName}] already`;
        return fail({ message, hint: "remove that table, then run this again" });
      }
      const wanted = `${rest === "" ? "" : `${rest.trimEnd()}\n\n`}${blockOf(entry)}`;
      if (wanted === text) return ok(text);
      const after = parseToml(wanted);
      return after.ok ? ok(wanted) : after;
    },
    uninstall: (text) => ok(without(text)),
  };
}

function without(text: string): string {
  const rest = text.replace(block, "\n");
  return rest === text ? text : rest.trimEnd() === "" ? "" : `${rest.trimEnd()}\n`;
}

function blockOf(entry: JsonObject): string {
  const lines = Object.entries(entry).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    `${begin} · made by tidemark install, taken out by tidemark uninstall`,
    `[mcp_servers.${mcpName}]`,
    ...lines,
    end,
    "",
  ].join("\n");
}

function parseToml(text: string): Result<Readonly<Record<string, object>>, EditError> {
  try {
    return ok(parse(text) as Readonly<Record<string, object>>);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const message = `it is no TOML: line ${cause.line}`;
    return fail({ message, hint: "mend it by hand, then run this again" });
  }
}
