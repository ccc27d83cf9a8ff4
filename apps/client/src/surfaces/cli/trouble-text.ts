import { safeText } from "../../platform/terminal.ts";
import { jsonText } from "./json.ts";
import type { Trouble } from "./trouble.ts";

/** Whether an argument asks for JSON; what stands behind `--` is no option. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}

/** What standard error is told of a failure: two lines, or one document (CL3). */
export function troubleText({ code, message, hint }: Trouble, isJson: boolean): string {
  const error = { code, message: safeText(message), hint: safeText(hint) };
  if (isJson) return `${jsonText({ error })}\n`;
  const lines = [`error: ${error.message}`, ...(error.hint === "" ? [] : [`hint: ${error.hint}`])];
  return `${lines.join("\n")}\n`;
}
