import { claudeCode } from "./claude-code.ts";
import type { Block, LineOrigin, TranscriptLine } from "./claude-code-line.ts";
import { blockText, parseTranscriptLine } from "./claude-code-line.ts";
import type { AgentEvent, EventKind } from "./event.ts";
import { momentKey, toolKey } from "./event-key.ts";
import { present } from "./json.ts";
import { isOwnTool } from "./own-tool.ts";
import { skipsMax, type TranscriptReader, type TranscriptSkip } from "./transcript.ts";
import { typedText } from "./payload/prompt-text.ts";
import { toolResponseText } from "./payload/tool-response.ts";

export { parseTranscriptLine } from "./claude-code-line.ts";

/** What is known of a transcript besides its lines. */
interface TranscriptOptions {
  /** The kind of sub-agent whose transcript this is; its lines do not say. */
  readonly agentType?: string;
  readonly transcriptPath?: string;
}

/** The name of events that carry words an assistant says between two uses of tools. */
const interimName = "AssistantText";

/** The turn of one agent: what it was told and the last words it said, which may be the turn's last. */
interface Thread {
  promptId?: string | undefined;
  said?:
    | { readonly messageId?: string; readonly texts: string[]; readonly origin: LineOrigin }
    | undefined;
}

interface PendingUse {
  readonly name: string;
  readonly input: Extract<Block, { kind: "tool-use" }>["input"];
}

interface State {
  lineNumber: number;
  readonly options: TranscriptOptions;
  readonly threads: Map<string, Thread>;
  readonly uses: Map<string, PendingUse>;
  readonly done: Set<string>;
  readonly seen: Set<string>;
  /** The last line of each session of the main thread. */
  readonly sessions: Map<string, LineOrigin>;
  readonly skips: TranscriptSkip[];
}

/**
 * A reader that turns the lines of one transcript into events (CP3, CP7).
 *
 * A tool's use and its result, which stand in different messages, become one event under the key
 * its hook would give. The last words of a turn become "turn-end", words on the way "other" events
 * named {@link interimName}. Lines written twice count once.
 */
export function createTranscriptReader(options: TranscriptOptions = {}): TranscriptReader {
  const state: State = {
    lineNumber: 0,
    options,
    threads: new Map(),
    uses: new Map(),
    done: new Set(),
    seen: new Set(),
    sessions: new Map(),
    skips: [],
  };
  return {
    readLine: (text) => readLine(state, text),
    end: () => endOf(state),
    skips: state.skips,
  };
}

/** All events of a whole transcript, and its damaged lines. */
export function readTranscript(
  text: string,
  options: TranscriptOptions = {},
): { readonly events: readonly AgentEvent[]; readonly skips: readonly TranscriptSkip[] } {
  const reader = createTranscriptReader(options);
  const events = text.split("\n").flatMap((line) => reader.readLine(line));
  return { events: [...events, ...reader.end()], skips: reader.skips };
}

function readLine(state: State, text: string): readonly AgentEvent[] {
  state.lineNumber += 1;
  const parsed = parseTranscriptLine(text);
  if (!parsed.ok) {
    if (parsed.skip.fault && state.skips.length < skipsMax) {
      state.skips.push({ line: state.lineNumber, reason: parsed.skip.reason });
    }
    return [];
  }
  const { line } = parsed;
  if (line.uuid !== undefined) {
    if (state.seen.has(line.uuid)) return [];
    state.seen.add(line.uuid);
  }
  return [...sessionStart(state, line), ...lineEvents(state, line)];
}

function sessionStart(state: State, line: TranscriptLine): readonly AgentEvent[] {
  if (line.isSidechain) return [];
  const isFirst = !state.sessions.has(line.sessionId);
  state.sessions.set(line.sessionId, line);
  return isFirst ? [moment(state, line, "session-start")] : [];
}

function lineEvents(state: State, line: TranscriptLine): readonly AgentEvent[] {
  const thread = threadOf(state, line);
  switch (line.type) {
    case "user":
      return userEvents(state, thread, line);
    case "assistant":
      return assistantEvents(state, thread, line);
    case "failure":
      return [...interim(state, thread), moment(state, line, "turn-failed", { error: line.text })];
    case "compact":
      return [...interim(state, thread), compactEvent(state, line)];
    case "turn-mark":
      return turnEnd(state, thread);
  }
}

function threadOf(state: State, line: LineOrigin): Thread {
  const name = line.isSidechain ? `agent ${line.agentId ?? ""}` : "main";
  const known = state.threads.get(name);
  if (known !== undefined) return known;
  const thread: Thread = {};
  state.threads.set(name, thread);
  return thread;
}

function userEvents(
  state: State,
  thread: Thread,
  line: Extract<TranscriptLine, { type: "user" }>,
): readonly AgentEvent[] {
  const results = line.blocks.filter((block) => block.kind === "tool-result");
  if (results.length > 0) {
    return [
      ...interim(state, thread),
      ...results.flatMap((result) => toolEvent(state, line, result)),
    ];
  }
  const prompt = blockText(line.blocks);
  const isInterrupt = prompt.startsWith("[Request interrupted by user");
  const before = isInterrupt ? interim(state, thread) : turnEnd(state, thread);
  thread.promptId = line.promptId;
  if (typedText(prompt) === undefined) return before;
  return line.isSidechain
    ? [...before, moment(state, line, "subagent-start", { prompt })]
    : [...before, moment(state, line, "prompt", { prompt })];
}

function assistantEvents(
  state: State,
  thread: Thread,
  line: Extract<TranscriptLine, { type: "assistant" }>,
): readonly AgentEvent[] {
  const text = blockText(line.blocks).trim();
  const isSameMessage = line.messageId !== undefined && thread.said?.messageId === line.messageId;
  const before = text === "" || isSameMessage ? [] : interim(state, thread);
  if (text !== "") {
    thread.said ??= { texts: [], origin: line, ...present({ messageId: line.messageId }) };
    addText(thread.said.texts, text);
  }
  for (const block of line.blocks) {
    if (block.kind === "tool-use" && !state.done.has(block.id) && !isOwnTool(block.name)) {
      state.uses.set(block.id, { name: block.name, input: block.input });
    }
  }
  return before;
}

/** A reply is written in parts, and sometimes again as it grows: a longer copy replaces a shorter one. */
function addText(texts: string[], text: string): void {
  const last = texts.at(-1);
  if (texts.includes(text)) return;
  if (last !== undefined && text.startsWith(last)) texts[texts.length - 1] = text;
  else texts.push(text);
}

function toolEvent(
  state: State,
  line: LineOrigin,
  result: Extract<Block, { kind: "tool-result" }>,
): readonly AgentEvent[] {
  const use = state.uses.get(result.id);
  if (use === undefined || state.done.has(result.id)) return [];
  state.uses.delete(result.id);
  state.done.add(result.id);
  const response = toolResponseText(use.name, result.content);
  const tool = { ...use, id: result.id, ok: result.ok, ...present({ response }) };
  const error = result.ok ? undefined : response;
  const kind = result.ok ? "tool" : "tool-failed";
  const event = unkeyed(state, line, kind, { error });
  return [{ ...event, tool, key: toolKey({ agent: claudeCode, sessionId: line.sessionId, tool }) }];
}

function compactEvent(
  state: State,
  line: Extract<TranscriptLine, { type: "compact" }>,
): AgentEvent {
  const name = line.summary === undefined ? "PreCompact" : "PostCompact";
  return moment(state, line, "compact", { name, source: line.trigger, assistant: line.summary });
}

/** The words said so far are not the turn's last: something follows. */
function interim(state: State, thread: Thread): readonly AgentEvent[] {
  return takeSaid(thread, (assistant, origin) =>
    moment(state, origin, "other", { assistant, promptId: thread.promptId }),
  );
}

/** The words said so far are the turn's last. */
function turnEnd(state: State, thread: Thread): readonly AgentEvent[] {
  return takeSaid(thread, (assistant, origin) =>
    origin.isSidechain
      ? moment(state, origin, "subagent-end", { assistant })
      : moment(state, origin, "turn-end", { assistant, promptId: thread.promptId }),
  );
}

function takeSaid(
  thread: Thread,
  build: (assistant: string, origin: LineOrigin) => AgentEvent,
): readonly AgentEvent[] {
  const { said } = thread;
  if (said === undefined) return [];
  thread.said = undefined;
  return [build(said.texts.join("\n"), said.origin)];
}

function endOf(state: State): readonly AgentEvent[] {
  const last = [...state.threads.values()].flatMap((thread) => turnEnd(state, thread));
  const ends = [...state.sessions.values()].map((origin) => moment(state, origin, "session-end"));
  return [...last, ...ends];
}

type Words = {
  readonly [K in "name" | "prompt" | "assistant" | "source" | "error" | "promptId"]?:
    | string
    | undefined;
};

/** The hook whose payload would have told the same. */
const hookNames: Readonly<Record<EventKind, string>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  tool: "PostToolUse",
  "tool-failed": "PostToolUseFailure",
  "turn-end": "Stop",
  "turn-failed": "StopFailure",
  "subagent-start": "SubagentStart",
  "subagent-end": "SubagentStop",
  compact: "PreCompact",
  "session-end": "SessionEnd",
  other: interimName,
};

function moment(state: State, origin: LineOrigin, kind: EventKind, words: Words = {}): AgentEvent {
  const event = unkeyed(state, origin, kind, words);
  return { ...event, key: momentKey(event) };
}

function unkeyed(
  state: State,
  origin: LineOrigin,
  kind: EventKind,
  words: Words,
): Omit<AgentEvent, "key"> {
  const { sessionId, promptId, agentId, isSidechain, cwd, atMs } = origin;
  const { agentType, transcriptPath } = state.options;
  return {
    agent: claudeCode,
    event: kind,
    name: hookNames[kind],
    sessionId,
    ...present({
      promptId,
      agentId: isSidechain ? (agentId ?? "sidechain") : undefined,
      agentType: isSidechain ? agentType : undefined,
      cwd,
      atMs,
      transcriptPath,
      ...present(words),
    }),
  };
}
