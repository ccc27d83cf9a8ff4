import type { Fields, JsonValue } from "./json.ts";
import { isFields, present, textOf, toJsonValue } from "./json.ts";
import { isoToMs } from "./payload/timestamp.ts";

/** Longest transcript line that is parsed, in characters; longer ones are skipped unread. */
export const lineCharsMax = 16 * 1024 * 1024;

/** Where a line belongs: its session, its sub-agent, its place and time. */
export interface LineOrigin {
  readonly sessionId: string;
  readonly uuid?: string;
  readonly promptId?: string;
  readonly agentId?: string;
  readonly isSidechain: boolean;
  readonly cwd?: string;
  readonly atMs?: number;
}

/** A part of a message that can become an event. */
export type Block =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "tool-use";
      readonly id: string;
      readonly name: string;
      readonly input: JsonValue;
    }
  | {
      readonly kind: "tool-result";
      readonly id: string;
      readonly ok: boolean;
      readonly content: unknown;
    };

/** One line of a transcript that says something. */
export type TranscriptLine = LineOrigin &
  (
    | { readonly type: "user"; readonly blocks: readonly Block[] }
    | { readonly type: "assistant"; readonly messageId?: string; readonly blocks: readonly Block[] }
    | { readonly type: "failure"; readonly text: string }
    | { readonly type: "compact"; readonly trigger?: string; readonly summary?: string }
    | { readonly type: "turn-mark" }
  );

/** A line, or why there is none; `fault` tells a damaged line from one that is none of ours. */
type ParsedLine =
  | { readonly ok: true; readonly line: TranscriptLine }
  | { readonly ok: false; readonly skip: { readonly reason: string; readonly fault: boolean } };

/**
 * Reads one line of a Claude Code transcript (CP6).
 *
 * The format is undocumented and changes with each release, so anything unknown is passed over
 * and nothing throws: half a line, other text, a byte order mark, NUL bytes, a line of any length.
 */
export function parseTranscriptLine(text: string): ParsedLine {
  if (text.length > lineCharsMax) return fault("line too long");
  const fields = parseObject(text);
  if (typeof fields === "string") return fields === "" ? passedOver("empty line") : fault(fields);
  const type = textOf(fields, "type");
  if (type !== "user" && type !== "assistant" && type !== "system") {
    return type === undefined ? fault("no type") : passedOver("not a message");
  }
  const origin = lineOrigin(fields);
  if (origin === undefined) return fault("no session id");
  if (origin.agentId?.startsWith("acompact") === true) return passedOver("a compaction");
  if (type === "system") return systemLine(fields, origin);
  return messageLine(fields, origin, type);
}

/** The object in a line, or the reason why there is none (an empty reason for an empty line). */
function parseObject(text: string): Fields | string {
  const trimmed = text.replace(/^\uFEFF/u, "").trim();
  if (trimmed === "") return "";
  try {
    const value: unknown = JSON.parse(trimmed);
    return isFields(value) ? value : "not an object";
  } catch {
    return "not JSON";
  }
}

function lineOrigin(fields: Fields): LineOrigin | undefined {
  const sessionId = textOf(fields, "sessionId");
  if (sessionId === undefined) return undefined;
  return {
    sessionId,
    isSidechain: fields["isSidechain"] === true,
    ...present({
      uuid: textOf(fields, "uuid"),
      promptId: textOf(fields, "promptId"),
      agentId: textOf(fields, "agentId"),
      cwd: textOf(fields, "cwd"),
      atMs: isoToMs(fields["timestamp"]),
    }),
  };
}

function systemLine(fields: Fields, origin: LineOrigin): ParsedLine {
  switch (textOf(fields, "subtype")) {
    case "compact_boundary": {
      const { compactMetadata: about } = fields;
      const trigger = isFields(about) ? textOf(about, "trigger") : undefined;
      return { ok: true, line: { ...origin, type: "compact", ...present({ trigger }) } };
    }
    case "stop_hook_summary":
    case "turn_duration":
      return { ok: true, line: { ...origin, type: "turn-mark" } };
    default:
      return passedOver("not a message");
  }
}

function messageLine(fields: Fields, origin: LineOrigin, type: "user" | "assistant"): ParsedLine {
  const { message } = fields;
  if (!isFields(message)) return fault("no message");
  if (fields["isMeta"] === true) return passedOver("not typed by a person");
  const blocks = readBlocks(message["content"]);
  if (blocks === undefined) return fault("no content");
  if (fields["isCompactSummary"] === true) {
    return { ok: true, line: { ...origin, type: "compact", summary: blockText(blocks) } };
  }
  if (type === "user") return { ok: true, line: { ...origin, type, blocks } };
  if (fields["isApiErrorMessage"] === true) {
    return { ok: true, line: { ...origin, type: "failure", text: blockText(blocks) } };
  }
  if (message["model"] === "<synthetic>") return passedOver("not said by the model");
  const messageId = textOf(message, "id");
  return { ok: true, line: { ...origin, type, blocks, ...present({ messageId }) } };
}

function readBlocks(content: unknown): readonly Block[] | undefined {
  if (typeof content === "string") {
    const text = textOf({ content }, "content");
    return text === undefined ? [] : [{ kind: "text", text }];
  }
  return Array.isArray(content) ? content.flatMap((block: unknown) => readBlock(block)) : undefined;
}

function readBlock(block: unknown): readonly Block[] {
  if (!isFields(block)) return [];
  const id = textOf(block, "id", "tool_use_id");
  switch (block["type"]) {
    case "text": {
      const text = textOf(block, "text");
      return text === undefined ? [] : [{ kind: "text", text }];
    }
    case "tool_use": {
      const name = textOf(block, "name");
      if (id === undefined || name === undefined) return [];
      return [{ kind: "tool-use", id, name, input: toJsonValue(block["input"]) }];
    }
    case "tool_result": {
      if (id === undefined) return [];
      return [
        { kind: "tool-result", id, ok: block["is_error"] !== true, content: block["content"] },
      ];
    }
    default:
      return [];
  }
}

/** All text of a message, in order. */
export function blockText(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
}

function fault(reason: string): ParsedLine {
  return { ok: false, skip: { reason, fault: true } };
}

function passedOver(reason: string): ParsedLine {
  return { ok: false, skip: { reason, fault: false } };
}
