import type { Fields } from "../json.ts";
import { isFields, wholeText } from "../json.ts";
import { clipMiddle, plainText } from "./clip.ts";

/** Longest response text of a command that an event carries, in characters. */
const responseCharsMax = 24 * 1024;

/** Longest response text of every other tool, in characters. */
const otherResponseCharsMax = 2 * 1024;

/** Tools whose response is content of files or pages: not ours to remember. */
const readingTools = new Set([
  "Read",
  "NotebookRead",
  "Glob",
  "Grep",
  "LS",
  "WebFetch",
  "WebSearch",
]);

/** The host's tool by which an agent puts questions to the person. */
export const askingTool = "AskUserQuestion";

/** The host asks at most four questions at once. */
const answersMax = 16;

/** Longest text that is looked at before it is shortened. */
const readCharsMax = 256 * 1024;

/** The text of a tool's response as an event carries it: none for tools that only read. */
export function toolResponseText(tool: string, response: unknown): string | undefined {
  if (readingTools.has(tool)) return undefined;
  const answers = tool === askingTool ? answersText(response) : undefined;
  const text = answers ?? responseText(response);
  if (text === undefined || tool === "Bash" || tool === askingTool) return text;
  return clipMiddle(text, otherResponseCharsMax);
}

/**
 * The text of a tool's response, whatever shape the host gave it.
 *
 * A command's output is its stdout and stderr; a changed file is named, never quoted, because
 * the host repeats the whole file there. What has no text of its own gives `undefined`.
 */
export function responseText(response: unknown): string | undefined {
  const text = rawText(response, 0);
  if (text === undefined || text === "") return undefined;
  const plain = plainText(wholeText(clipMiddle(text, readCharsMax))).trim();
  return plain === "" ? undefined : clipMiddle(plain, responseCharsMax);
}

/** Answers by question as the host's own transcripts write them: `"Question"="Answer", …`. */
function answersText(response: unknown): string | undefined {
  const fields = typeof response === "string" ? parsedFields(response) : response;
  const answers = isFields(fields) ? fields["answers"] : undefined;
  if (typeof answers !== "object" || answers === null) return undefined;
  const pairs = Object.entries(answers)
    .slice(0, answersMax)
    .flatMap(([name, value]) => {
      const [question, answer] = isFields(value)
        ? [value["question"] ?? name, value["answer"]]
        : [name, value];
      const text = Array.isArray(answer) ? answer.filter(isText).join(", ") : answer;
      return isText(text) && isText(question) && text !== "" ? [`"${question}"="${text}"`] : [];
    });
  return pairs.length === 0 ? undefined : responseText(pairs.join(", "));
}

function parsedFields(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function rawText(response: unknown, depth: number): string | undefined {
  if (typeof response === "string") return response;
  if (depth > 2) return undefined;
  if (Array.isArray(response)) return joined(response.slice(0, 200), depth);
  if (!isFields(response)) return undefined;
  return (
    outputText(response) ??
    changedFileText(response) ??
    rawText(response["text"] ?? response["content"] ?? response["result"], depth + 1)
  );
}

function joined(parts: readonly unknown[], depth: number): string | undefined {
  const texts = parts.flatMap((part) => rawText(part, depth + 1) ?? []);
  return texts.length === 0 ? undefined : texts.join("\n");
}

function outputText(response: Fields): string | undefined {
  const { stdout, stderr } = response;
  if (typeof stdout !== "string" && typeof stderr !== "string") return undefined;
  const background = response["backgroundTaskId"];
  return [
    typeof background === "string" ? `Command running in background with ID: ${background}` : "",
    typeof stdout === "string" ? stdout : "",
    typeof stderr === "string" ? stderr : "",
  ]
    .filter((part) => part.trim() !== "")
    .join("\n");
}

function changedFileText(response: Fields): string | undefined {
  const path = response["filePath"];
  if (typeof path !== "string") return undefined;
  return response["type"] === "create"
    ? `File created successfully at: ${path}`
    : `The file ${path} has been updated.`;
}
