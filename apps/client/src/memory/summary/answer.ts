import { isArray, isObject, type JsonObject, type JsonValue } from "@tidemark/protocol";

/** What a run cost, as far as the command tells. */
export interface RunCost {
  readonly usd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a summariser printed. */
export interface Answer {
  readonly text: string;
  /** Whether it says of itself that it failed. */
  readonly isError: boolean;
  readonly cost: RunCost;
}

/** What a command costs that tells nothing of it. */
export const noCost: RunCost = { usd: 0, inputTokens: 0, outputTokens: 0 };
/** No run costs more; what says so is no figure. */
const numberMax = 1_000_000_000;

/**
 * Reads what a summariser printed (SM8): JSON with `result`, as `claude -p --output-format json`
 * prints it, also as the last of a list of messages; any other text is the answer itself.
 */
export function readAnswer(output: string): Answer {
  const found = resultOf(output.trim());
  if (found === undefined) return { text: output, isError: false, cost: noCost };
  const { result } = found;
  const text = typeof result === "string" ? result : "";
  return { text, isError: found["is_error"] === true, cost: costOf(found) };
}

function resultOf(text: string): JsonObject | undefined {
  if (!/^[[{]/u.test(text)) return undefined;
  const parsed = parse(text);
  if (parsed === undefined) return undefined;
  const last = isArray(parsed) ? parsed.at(-1) : parsed;
  if (last === undefined || !isObject(last)) return undefined;
  return "result" in last || "total_cost_usd" in last ? last : undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function costOf(result: JsonObject): RunCost {
  const usage = result["usage"] ?? null;
  const used = isObject(usage) ? usage : {};
  const read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  return {
    usd: numberOf(result["total_cost_usd"]),
    inputTokens: read.reduce((sum, name) => sum + numberOf(used[name]), 0),
    outputTokens: numberOf(used["output_tokens"]),
  };
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === "number" && value >= 0 && value <= numberMax ? value : 0;
}
