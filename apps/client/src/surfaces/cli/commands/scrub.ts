import { ok } from "@tidemark/protocol";
import { textCharsMax, type Finding, type Hint, type Scrubber } from "@tidemark/scrubber";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { jsonText } from "../json.ts";
import { counted } from "../render/text.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";
import { checkFiles } from "./scrub/check.ts";
import { findingJson, listFindings } from "./scrub/listing.ts";
import { placeFindings } from "./scrub/places.ts";
import { distrustProject, trustProject } from "./scrub/trust.ts";

const charsMaxMi = textCharsMax / 1_048_576;

/** Takes secrets out of standard input, or looks for them in files. */
export const scrub: Command = {
  arguments: [{ syntax: "[paths...]", help: "files and folders to look through, with --check" }],
  options: [
    { flags: "--jsonl", help: 'read {"id","text"} lines, write {"id","text","findings"} lines' },
    { flags: "--explain", help: "list what was found on standard error, beside the text" },
    { flags: "--findings-only", help: "list what was found, without the text" },
    { flags: "--path <path>", help: "file that standard input comes from, if it matters" },
    {
      flags: "--check",
      help: "look through files and folders (default: this one), change nothing",
    },
    { flags: "--format <format>", help: "of --check: text, json or sarif" },
    { flags: "--trust", help: "agree to what .tidemark/scrub.toml of this project lets through" },
    { flags: "--untrust", help: "take that back" },
  ],
  notes:
    "Findings say what was found and where, never its value: line:column, kind, rule, form,\n" +
    "confidence, checksum, tag. A line that cannot be read is told and passed over. A text over\n" +
    `${charsMaxMi} Mi characters, or one that takes too much work, is withheld: a placeholder stands for all\n` +
    "of it, and the exit code is 1.\n" +
    "\n" +
    "--check leaves out .git, node_modules, what git ignores, and files that are no text. It exits\n" +
    "with 0 where all is clean, 1 where something was found, 2 where it was used wrongly.\n" +
    "\n" +
    "What goes besides, and what stays, is written under scrub in config.json and in the nearest\n" +
    ".tidemark/scrub.toml: literals, rules, personalData, and tags, kinds and paths under allow. A\n" +
    "project's file only adds until you agree to it with --trust; a change of the file ends that.",
  run: async (deps, call) => {
    const wrong = misuseOf(call);
    if (wrong !== undefined) return { ok: false, error: wrong };
    if (call.isOn("trust")) return await trustProject(deps);
    if (call.isOn("untrust")) return await distrustProject(deps);
    if (call.isOn("check")) return checkFiles(deps, call);
    const scrubber = deps.home().scrubberWith({});
    if (call.isOn("jsonl")) return await scrubLines(deps, scrubber);
    return await scrubInput(deps, call, scrubber);
  },
};

/** Options that ask for different things, of which one can be done. */
const modes = {
  jsonl: "--jsonl",
  explain: "--explain",
  findingsOnly: "--findings-only",
  check: "--check",
  trust: "--trust",
  untrust: "--untrust",
} as const;

function misuseOf(call: Call): Trouble | undefined {
  const asked = Object.entries(modes).flatMap(([mode, flag]) => (call.isOn(mode) ? [flag] : []));
  if (asked.length > 1) {
    return misuse(`${asked.join(" and ")} do not go together`, "tidemark scrub --help");
  }
  if (call.isOn("check")) return undefined;
  if (call.words.length > 0)
    return misuse("paths are for --check", "tidemark scrub --check <path>");
  if (call.text("format") === undefined) return undefined;
  return misuse("--format is for --check", "tidemark scrub --check --format sarif");
}

async function scrubInput(deps: CliDeps, call: Call, scrubber: Scrubber): Promise<Outcome> {
  const input = await deps.io.stdinText();
  const path = call.text("path");
  const hint: Hint = path === undefined ? {} : { path };
  const { text, findings } = scrubber.scrub(input, hint);
  const open = isWithheld(findings) ? withheld("the text was") : undefined;
  if (call.isOn("explain") || call.isOn("findingsOnly")) {
    const found = deps.home().scrubberWith({ keepsJson: false }).scrub(input, hint).findings;
    const placed = placeFindings(found, [input]);
    return explain(deps, call, { text, placed, open });
  }
  if (call.isJson) return ok({ json: { text, findings }, text: undefined, trouble: open });
  deps.io.out(text);
  return ok({ json: undefined, text: undefined, trouble: open });
}

interface Explained {
  readonly text: string;
  readonly placed: ReturnType<typeof placeFindings>;
  readonly open: Trouble | undefined;
}

function explain(deps: CliDeps, call: Call, { text, placed, open }: Explained): Outcome {
  const json = { findings: placed.map((each) => findingJson(each)) };
  const list = listFindings(placed);
  if (call.isOn("findingsOnly")) return ok({ json, text: list, trouble: open });
  if (call.isJson) return ok({ json: { text, ...json }, text: undefined, trouble: open });
  deps.io.out(text);
  if (list !== "") deps.io.err(`${list}\n`);
  return ok({ json: undefined, text: undefined, trouble: open });
}

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
      message: `${bad.length} of ${counted(number, "line")} could not be read`,
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
