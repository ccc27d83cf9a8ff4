import { ok } from "@tidemark/protocol";
import type { Scrubber } from "@tidemark/scrubber";
import type { Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { jsonText } from "../json.ts";
import { trouble } from "../trouble.ts";

/** Takes secrets out of standard input. */
export const scrub: Command = {
  options: [
    { flags: "--jsonl", help: 'read {"id","text"} lines, write {"id","text","findings"} lines' },
  ],
  notes:
    "Findings say what was found and where, never its value. A line that cannot be read is told and passed over.",
  run: async (deps, call) => {
    const { scrubber } = deps.home();
    if (call.isOn("jsonl")) return await scrubLines(deps, scrubber);
    const { text, findings } = scrubber.scrub(await deps.io.stdinText());
    if (call.isJson) return ok({ json: { text, findings }, text: undefined });
    deps.io.out(text);
    return ok({ json: undefined, text: undefined });
  },
};

async function scrubLines(deps: CliDeps, scrubber: Scrubber) {
  let number = 0;
  const bad: number[] = [];
  for await (const line of deps.io.stdinLines()) {
    number += 1;
    if (line.trim() === "") continue;
    const input = parseLine(line);
    if (input === undefined) {
      bad.push(number);
      deps.io.err(`error: line ${number} is no {"id","text"} object\n`);
      continue;
    }
    const { text, findings } = scrubber.scrub(input.text);
    deps.io.out(`${jsonText({ id: input.id, text, findings })}\n`);
  }
  if (bad.length === 0) return ok({ json: undefined, text: undefined });
  return {
    ok: false,
    error: trouble({
      code: "bad-lines",
      message: `${bad.length} of ${number} lines could not be read`,
      hint: 'each line is one JSON object: {"id": "1", "text": "…"}',
    }),
  } as const;
}

function parseLine(line: string): { readonly id: unknown; readonly text: string } | undefined {
  try {
    const value: unknown = JSON.parse(line.replace(/^\uFEFF/u, ""));
    if (typeof value !== "object" || value === null) return undefined;
    const { id = null, text } = value as { readonly id?: unknown; readonly text?: unknown };
    return typeof text === "string" ? { id, text } : undefined;
  } catch {
    return undefined;
  }
}
