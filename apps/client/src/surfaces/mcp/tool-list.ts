import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ListToolsRequestSchema, type ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import { isArray, isObject, type JsonObject, type JsonValue } from "@tidemark/protocol";
import { z } from "zod";
import { storeErrorOf } from "../../store/store-error.ts";
import { UserError } from "../../wiring/user-error.ts";
import { refusedWith } from "./result.ts";

/** Where tools are registered. */
export type ToolRegister = Pick<McpServer, "registerTool">;

interface Told {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
  readonly annotations: ToolAnnotations;
}

type Answer = (given: unknown, call: { readonly signal: AbortSignal }) => unknown;

/** Bounds that are checked at each call and told by its refusal: a model seldom needs them before. */
const untold = new Set([
  "$schema",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
]);

/**
 * Registers tools, and tells hosts of them in few words (MC8): each session's model reads the list, at
 * its person's cost.
 */
export function briefTools(server: McpServer, add: (register: ToolRegister) => void): void {
  const tools: Told[] = [];
  const registerTool = ((name: string, config: Omit<Told, "name">, answer: Answer) => {
    tools.push({ name, ...config });
    const whileWanted: Answer = async (given, call) => {
      // Nobody is answered any more; what was taken back shall change nothing either (MC10).
      call.signal.throwIfAborted();
      try {
        return await answer(given, call);
      } catch (cause) {
        const trouble = cause instanceof UserError ? cause : storeErrorOf(cause);
        if (trouble === undefined) throw cause;
        return refusedWith(trouble);
      }
    };
    return server.registerTool(name, config as never, whileWanted as never);
  }) as unknown as McpServer["registerTool"];
  add({ registerTool });
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema, annotations }) => {
      const schema = z.toJSONSchema(inputSchema, { target: "draft-7", io: "input" });
      return { name, description, inputSchema: brief(schema as JsonObject) as never, annotations };
    }),
  }));
}

/** A schema without its bounds; names of properties are left alone. */
function brief(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).filter(([name]) => !untold.has(name));
  return Object.fromEntries(
    members.map(([name, value]): [string, JsonValue] => {
      if (name === "properties" && isObject(value)) {
        return [
          name,
          Object.fromEntries(Object.entries(value).map(([key, each]) => [key, briefValue(each)])),
        ];
      }
      return [name, briefValue(value)];
    }),
  );
}

function briefValue(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map((each) => briefValue(each));
  return isObject(value) ? brief(value) : value;
}
