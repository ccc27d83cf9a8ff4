import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { explain, type MemoryError } from "../../memory/explain.ts";
import { safeText } from "../../platform/terminal.ts";

/** A tool's answer: text for a model, the same as an object for a program. */
export function answered(
  text: string,
  structured: Readonly<Record<string, unknown>>,
): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: { ...structured } };
}

/** A tool that failed in an expected way; the model may mend its call. */
export function refused(error: MemoryError): CallToolResult {
  return refusedWith(explain(error));
}

/** The same in words that are there already. */
export function refusedWith({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint: string;
}): CallToolResult {
  const text = safeText(hint === "" ? message : `${message}. ${hint}`);
  return { isError: true, content: [{ type: "text", text }] };
}
