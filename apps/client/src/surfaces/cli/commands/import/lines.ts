import { isArray, isObject, ok, fail, type Result } from "@tidemark/protocol";
import type { BroughtRow } from "../../../../capture/brought/brought.ts";
import { createGraphReader, isGraphLine } from "../../../../capture/brought/memory-graph.ts";
import { createTranscriptReader } from "../../../../capture/claude-code-transcript.ts";
import { createRolloutReader, isRolloutLine } from "../../../../capture/codex-rollout.ts";
import type { TranscriptReader } from "../../../../capture/transcript.ts";
import { createBringing } from "../../../../memory/bring.ts";
import { createTranscriptImport } from "../../../../memory/import-transcript.ts";
import { counted } from "../../render/text.ts";
import { trouble, type Trouble } from "../../trouble.ts";
import { exportTaker } from "./export-taker.ts";
import { folderScrubs } from "./folder-scrubs.ts";
import { parseLine } from "./parsed-line.ts";
import { placeOfBrought, takenOf, type ImportRun } from "./run.ts";
import { addedHeadline, stoppedAfter, type LineTaker, type Taken } from "./taken.ts";

const batchLines = 200;
/** Lines that are looked at for what the file is. */
const headLinesMax = 20;

/** Takes in a file of lines: a transcript, an export, or the MCP memory server's graph. */
export async function takeLines(
  run: ImportRun,
  lines: AsyncIterable<string>,
  bytes = 0,
): Promise<Result<Taken, Trouble>> {
  let taker: LineTaker | undefined;
  let batch: string[] = [];
  let count = 0;
  let read = 0;
  for await (const line of lines) {
    taker ??= takerOf(run, line);
    batch.push(line);
    count += 1;
    read += Buffer.byteLength(line) + 1;
    if (taker === undefined && !isPassable(line, count)) return fail(unknownAs(batch));
    if (taker === undefined || batch.length < batchLines) continue;
    taker.take(batch);
    batch = [];
    run.progress.tell(`${counted(count, "line")} read`, shareOf(read, bytes));
    if (await run.isStopped()) break;
  }
  if (await run.isStopped()) return ok(stoppedAfter(taker));
  return await takeEnd(taker, batch);
}

async function takeEnd(
  taker: LineTaker | undefined,
  rest: readonly string[],
): Promise<Result<Taken, Trouble>> {
  taker?.take(rest);
  const taken = await taker?.end();
  return taken === undefined ? fail(unknownAs(rest)) : ok(taken);
}

/** Whether a line may stand before the one that tells what the file is: empty, or damaged (IM16). */
function isPassable(line: string, number: number): boolean {
  return number <= headLinesMax && parseLine(line) === undefined;
}

function shareOf(read: number, bytes: number): number | undefined {
  return bytes === 0 ? undefined : read / bytes;
}

/** Said of what nothing here can read. */
export const unknownFormat = trouble({
  code: "unknown-format",
  message: "this is neither a transcript, nor an export, nor another memory that Tidemark knows",
  hint: "`tidemark import --help` lists what it reads; `tidemark import` what it finds here",
});

/** What nothing here can read, with the next step where it is an export all the same (IM40). */
function unknownAs([first = ""]: readonly string[]): Trouble {
  if (first.includes("\u0000")) {
    const message = "this is no UTF-8 text; Windows PowerShell writes UTF-16";
    return { ...unknownFormat, message, hint: `save it as UTF-8, or ${writesFile}` };
  }
  const document = parseLine(first);
  const isShown = isObject(document) && isArray(document["items"]) && "total" in document;
  if (!isShown) return unknownFormat;
  const message = "this is what --json prints, for scripts to read";
  return { ...unknownFormat, message, hint: writesFile };
}

const writesFile = "`tidemark export --output FILE` writes a file that import reads";

function takerOf(run: ImportRun, firstLine: string): LineTaker | undefined {
  const first = parseLine(firstLine);
  if (!isObject(first)) return undefined;
  if (typeof first["collection"] === "string" && typeof first["id"] === "string") {
    return exportTaker(run);
  }
  if (isGraphLine(first)) return graphTaker(run);
  if (isRolloutLine(first)) return transcriptTaker(run, createRolloutReader());
  const isTranscript = typeof first["type"] === "string" || typeof first["sessionId"] === "string";
  return isTranscript ? transcriptTaker(run, createTranscriptReader()) : undefined;
}

function graphTaker(run: ImportRun): LineTaker {
  const source = "MCP memory server";
  const placeOf = placeOfBrought(run);
  const bringing = createBringing(run.memory, { source, placeOf, isDry: run.isDry });
  const reader = createGraphReader();
  const kept = (): number => bringing.report().added;
  return {
    take: (lines) => {
      const faults = lines.flatMap((line): readonly BroughtRow[] => {
        const fault = reader.readLine(scrubbedLine(run, line));
        return fault === undefined ? [] : [{ ok: false, ...fault }];
      });
      bringing.take(faults);
    },
    kept,
    end: async () => {
      // What belongs together is known at the end; then all of it is taken in.
      const rows = reader.end();
      for (let done = 0; done < rows.length; done += batchLines) {
        if (done > 0 && (await run.isStopped())) return stoppedAfter({ kept });
        bringing.take(rows.slice(done, done + batchLines));
        const how = `${done} of ${counted(rows.length, "observation")} looked at`;
        run.progress.tell(how, done / rows.length);
      }
      return takenOf(source, bringing.report(), run.isDry);
    },
  };
}

function scrubbedLine({ memory }: ImportRun, line: string): string {
  const value = parseLine(line);
  return value === undefined ? line : JSON.stringify(memory.scrub.payload(value));
}

function transcriptTaker(run: ImportRun, reader: TranscriptReader): LineTaker {
  const { memory, into, isDry } = run;
  const { scrubOf, projectAt } = folderScrubs(run);
  const transcript = createTranscriptImport(memory, reader, {
    isDry,
    scrubOf,
    placeOf: (event) => {
      const project = run.project ?? projectAt(event.cwd ?? "/");
      return { project, namespace: into ?? memory.store.bindings.namespaceOf(project) };
    },
  });
  // Other agents write lines with a type and a message too; what none of them tells is no transcript.
  let isOurs = false;
  return {
    take: (lines) => {
      isOurs ||= lines.some(tellsSession);
      transcript.take(lines);
    },
    kept: () => transcript.added(),
    end: () => {
      const report = transcript.end();
      const { events, added, known } = report;
      if (events === 0 && !isOurs) return undefined;
      const rest = addedHeadline({ added, known }, "observation", false);
      const headline = isDry
        ? `${counted(events, "event")} read, ${known} known before`
        : `${counted(events, "event")} read, ${rest}`;
      const skipped = report.skipped.map(({ line, reason }) => ({ from: `line ${line}`, reason }));
      const json = { kind: "transcript", ...(isDry ? { dryRun: true } : {}), ...report };
      return { ...report, kind: "transcript", headline, skipped, json, titles: [] };
    },
  };
}

/** Whether a line names the session that it belongs to, as every line of Claude Code's does but a few. */
function tellsSession(line: string): boolean {
  const value = parseLine(line);
  if (!isObject(value)) return false;
  const { type } = value;
  return (
    typeof value["sessionId"] === "string" ||
    isRolloutLine(value) ||
    type === "summary" ||
    type === "file-history-snapshot"
  );
}
