import { readFileSync } from "node:fs";

/**
 * Turns a recorded session into the payloads that Claude Code would have handed its hooks, in
 * order: the start, each prompt, each tool's use with its result, the last words of each turn, and
 * the end.
 *
 * @param place where the session is said to have run: `folder` replaces the recorded one
 * @returns `{ event, payload }` for each hook call
 */
export function hookCallsOf(path, place) {
  const lines = readLines(path);
  const recorded = lines.find((line) => typeof line.cwd === "string");
  const common = {
    session_id: recorded.sessionId,
    transcript_path: path,
    cwd: place.folder,
    permission_mode: "default",
  };
  const call = (event, members) => ({
    event,
    payload: { ...common, hook_event_name: event, ...moved(members, recorded.cwd, place.folder) },
  });
  const toolUses = new Map();
  const calls = [call("SessionStart", { source: "startup", model: "claude-opus-4-6" })];
  let words = "";
  for (const line of lines) {
    for (const part of partsOf(line)) {
      if (part.type === "tool_use") toolUses.set(part.id, part);
      if (part.type === "text" && line.type === "assistant" && part.text.trim() !== "") {
        words = part.text.trim();
      }
      if (part.type === "prompt") calls.push(call("UserPromptSubmit", { prompt: part.text }));
      if (part.type === "tool_result") calls.push(...resultCalls(call, part, toolUses));
    }
  }
  calls.push(call("Stop", { stop_hook_active: false, last_assistant_message: words }));
  calls.push(call("SessionEnd", { reason: "prompt_input_exit" }));
  return calls;
}

function readLines(path) {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

function partsOf(line) {
  if (line.isMeta === true || line.isSidechain === true) return [];
  const content = line.message?.content;
  if (line.type === "user" && typeof content === "string")
    return [{ type: "prompt", text: content }];
  return Array.isArray(content) ? content : [];
}

function resultCalls(call, result, toolUses) {
  const use = toolUses.get(result.tool_use_id);
  if (use === undefined) return [];
  const tool = { tool_name: use.name, tool_input: use.input, tool_use_id: use.id };
  const text = textOf(result.content);
  if (result.is_error === true) return [call("PostToolUseFailure", { ...tool, error: text })];
  const response =
    use.name === "Bash" ? { stdout: text, stderr: "", interrupted: false, isImage: false } : text;
  return [call("PostToolUse", { ...tool, tool_response: response })];
}

function textOf(content) {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (typeof part.text === "string" ? part.text : "")).join("\n");
}

/** The same members, with the recorded folder's path replaced wherever it stands. */
function moved(members, from, to) {
  return JSON.parse(JSON.stringify(members).replaceAll(from, to));
}
