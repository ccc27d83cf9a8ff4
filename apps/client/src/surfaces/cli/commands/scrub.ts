import { ok } from "@tidemark/protocol";
import { textCharsMax, type Finding, type Scrubber } from "@tidemark/scrubber";
import type { Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { jsonText } from "../json.ts";
import { counted } from "../render/text.ts";
import { trouble, type Trouble } from "../trouble.ts";

const charsMaxMi = textCharsMax / 1_048_576;

/** Takes secrets out of standard input. */
export const scrub: Command = {
  options: [
    { flags: "--jsonl", help: 'read {"id","text"} lines, write {"id","text","findings"} lines' },
  ],
  notes:
    "Findings say what was found and where, never its value. A line that cannot be read is told and\n" +
    `passed over. A text over ${charsMaxMi} Mi characters, or one that takes too much work, is withheld: a placeholder\n` +
    "stands for all of it, and the exit code is 1.",
  run: async (deps, call) => {
    const { scrubber } = deps.home();
    if (call.isOn("jsonl")) return await scrubLines(deps, scrubber);
    const { text, findings } = scrubber.scrub(await deps.io.stdinText());
    const open = isWithheld(findings) ? withheld("the text was") : undefined;
    if (call.isJson) return ok({ json: { text, findings }, text: undefined, trouble: open });
    deps.io.out(text);
    return ok({ json: undefined, text: undefined, trouble: open });
  },
};

async function scrubLines(deps: CliDeps, scrubber: Scrubber) {
  let number = 0;
  const bad: number[] = [];
  let withheldCount = 0;
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
    if (!isWithheld(findings)) continue;
    withheldCount += 1;
    deps.io.err(`error: line ${number} was too large to scrub and is withheld\n`);
  }
  if (bad.length === 0) {
    const who = `${withheldCount} of ${counted(number, "line")} ${withheldCount === 1 ? "was" : "were"}`;
    const open = withheldCount === 0 ? undefined : withheld(who);
    return ok({ json: undefined, text: undefined, trouble: open });
  }
  return {
    ok: false,
    error: trouble({
      code: "bad-lines",
      message: `${bad.length} of ${number} lines could not be read`,
      hint: 'each line is one JSON object: {"id": "1", "text": "…"}',
    }),
  } as const;
}

function isWithheld(findings: readonly Finding[]): boolean {
  return findings.some(({ ruleId }) => ruleId === "withheld");
}

function withheld(who: string): Trouble {
  return trouble({
    code: "withheld",
    message: `${who} too large to scrub; withheld, a placeholder stands for it`,
    hint: "split it, and scrub the parts",
  });
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
