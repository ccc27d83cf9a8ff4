import { isFields, textOf, type Fields } from "./json.ts";

/** What an agent's own transcript says of the room that its conversation takes. */
export interface TokenUse {
  /** Tokens of the last request and its answer, which is what stands in the window. */
  readonly tokens: number;
  /** The window's size; undefined where the transcript does not tell it. */
  readonly window?: number;
}

/**
 * The last token count that lines of a transcript tell, of Claude Code or Codex; undefined where none
 * does. Sub-agents have windows of their own and do not count. Formats change without notice: what
 * has another shape is passed over.
 */
export function lastTokenUse(lines: readonly string[]): TokenUse | undefined {
  for (const line of lines.toReversed()) {
    const use = line.includes("_tokens") ? tokenUseOf(line) : undefined;
    if (use !== undefined) return use;
  }
  return undefined;
}

function tokenUseOf(line: string): TokenUse | undefined {
  const fields = parsed(line);
  if (fields === undefined) return undefined;
  const { message, payload } = fields;
  if (fields["type"] === "assistant" && isFields(message)) return ofClaude(fields, message);
  return isFields(payload) && payload["type"] === "token_count" ? ofCodex(payload) : undefined;
}

function ofClaude(line: Fields, message: Fields): TokenUse | undefined {
  const { usage } = message;
  const isOwn = line["isSidechain"] !== true && textOf(line, "agentId") === undefined;
  if (!isOwn || message["model"] === "<synthetic>" || !isFields(usage)) return undefined;
  const input = count(usage["input_tokens"]);
  if (input === undefined) return undefined;
  const parts = ["cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
  return { tokens: parts.reduce((sum, part) => sum + (count(usage[part]) ?? 0), input) };
}

function ofCodex({ info }: Fields): TokenUse | undefined {
  if (!isFields(info)) return undefined;
  const { last_token_usage: last } = info;
  const tokens = isFields(last) ? count(last["total_tokens"]) : undefined;
  if (tokens === undefined) return undefined;
  const window = count(info["model_context_window"]);
  return window === undefined ? { tokens } : { tokens, window };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function parsed(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
