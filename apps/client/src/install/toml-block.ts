import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import {
  fail,
  isObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from "@tidemark/protocol";
import type { AgentFile } from "./agent-setup.ts";
import type { EditError } from "./edit-error.ts";
import { isSame } from "./json-settings.ts";
import { mcpName } from "./mcp-entry.ts";

const begin = "# tidemark:start";
const end = "# tidemark:end";
const ownTable = /^\s*\[\s*mcp_servers\s*\.\s*(?:tidemark|"tidemark"|'tidemark')\s*\]/u;
/** The server's table and those below it. */
const ownHeader = /^\s*\[\[?\s*mcp_servers\s*\.\s*(?:tidemark|"tidemark"|'tidemark')\s*[.\]]/u;

/**
 * Registers the MCP server in a TOML settings file, as a block between two marks at its end: no
 * library edits TOML and keeps what people wrote. An agent that edits the file itself puts new tables
 * before a comment at its end, so between the marks: those stay as all else does. Whether the file
 * still says all that it said before is checked by reading both.
 */
export function tomlMcpFile(path: string, entry: JsonObject): AgentFile {
  return {
    path,
    part: "MCP server",
    install: (text) => installed(text, entry),
    uninstall: (text) => {
      const { rest, isIn } = takenApart(text);
      return isIn ? checked(text, rest) : ok(text);
    },
  };
}

function installed(text: string, entry: JsonObject): Result<string, EditError> {
  const { rest, isIn, own } = takenApart(text);
  const others = parseToml(rest);
  if (!others.ok) return others;
  if (serverIn(others.value) !== undefined) {
    const message = `it has a table [mcp_servers.${mcpName}] already`;
    return fail({ message, hint: "remove that table, then run this again" });
  }
  const now = isIn ? parseToml(text) : others;
  if (!now.ok) return now;
  const server = serverIn(now.value);
  if (isObject(server ?? null) && holds(server as JsonObject, entry)) return ok(text);
  const added = own.filter((line) => !ownTable.test(line) && !isKeyOf(line, entry));
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = [...blockLines(entry, added), ""].join(eol);
  return checked(text, `${rest === "" ? "" : `${rest.trimEnd()}${eol}${eol}`}${block}`);
}

function holds(server: JsonObject, entry: JsonObject): boolean {
  return Object.entries(entry).every(([name, value]) => isSame(server[name], value));
}

function isKeyOf(line: string, entry: JsonObject): boolean {
  return Object.hasOwn(entry, /^\s*(\w+)\s*=/u.exec(line)?.[1] ?? "");
}

/** The text that is wanted, where all but our server is in it as before. */
function checked(text: string, wanted: string): Result<string, EditError> {
  const before = parseToml(text);
  if (!before.ok) return before;
  const after = parseToml(wanted);
  if (!after.ok) return after;
  if (isDeepStrictEqual(withoutServer(before.value), withoutServer(after.value))) return ok(wanted);
  const message = `something else stands between "${begin}" and "${end}", or belongs to what does`;
  return fail({
    message,
    hint: "move it out of there, to the file's beginning; then run this again",
  });
}

/** A TOML text without what is ours. */
interface Apart {
  readonly rest: string;
  readonly isIn: boolean;
  /** The lines of our tables. */
  readonly own: readonly string[];
}

function takenApart(text: string): Apart {
  const lines = text.split("\n");
  const from = lines.findIndex((line) => line.startsWith(begin));
  const to = lines.findIndex((line, at) => at > from && line.trimEnd() === end);
  if (from === -1 || to === -1) return { rest: text, isIn: false, own: [] };
  const { own, others } = sorted(lines.slice(from + 1, to));
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const behind = [others, lines.slice(to + 1)].map((part) =>
    part.join("\n").replace(/^(?:[ \t]*\r?\n)+/u, ""),
  );
  const parts = [lines.slice(0, from).join("\n"), ...behind]
    .map((part) => part.trimEnd())
    .filter((part) => part !== "");
  const rest = parts.length === 0 ? "" : parts.join(`${eol}${eol}`) + eol;
  return { rest, isIn: true, own };
}

interface Sorted {
  readonly own: readonly string[];
  readonly others: readonly string[];
}

/** The lines between the marks by whose they are; a comment is of what it stands over. */
function sorted(lines: readonly string[]): Sorted {
  const own: string[] = [];
  const others: string[] = [];
  let place = own;
  let held: string[] = [];
  for (const line of lines) {
    held.push(line);
    if (/^\s*(?:#|$)/u.test(line)) continue;
    if (/^\s*\[/u.test(line)) place = ownHeader.test(line) ? own : others;
    place.push(...held);
    held = [];
  }
  place.push(...held);
  return { own, others };
}

function blockLines(entry: JsonObject, added: readonly string[]): readonly string[] {
  const lines = Object.entries(entry).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    `${begin} · made by tidemark install, taken out by tidemark uninstall`,
    `[mcp_servers.${mcpName}]`,
    ...lines,
    ...added.map((line) => line.trimEnd()),
    end,
  ];
}

type Toml = Readonly<Record<string, unknown>>;

function serverIn(toml: Toml): JsonValue | undefined {
  const servers = toml["mcp_servers"] as JsonValue | undefined;
  return isObject(servers ?? null) && Object.hasOwn(servers as object, mcpName)
    ? (servers as JsonObject)[mcpName]
    : undefined;
}

function withoutServer(toml: Toml): Toml {
  const { mcp_servers: servers, ...rest } = toml;
  if (typeof servers !== "object" || servers === null) return { ...toml };
  const others = Object.entries(servers).filter(([name]) => name !== mcpName);
  return others.length === 0 ? rest : { ...rest, mcp_servers: Object.fromEntries(others) };
}

function parseToml(text: string): Result<Toml, EditError> {
  try {
    return ok(parse(text) as Toml);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const message = `it is no TOML: line ${cause.line}`;
    return fail({ message, hint: "mend it by hand, then run this again" });
  }
}
