import {
  fail,
  isObject,
  localNamespace,
  ok,
  type JsonValue,
  type NamespaceId,
} from "@tidemark/protocol";
import { importLines } from "../../../memory/import.ts";
import { createTranscriptImport } from "../../../memory/import-transcript.ts";
import type { Memory } from "../../../wiring/memory.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { counted } from "../render/text.ts";
import { findNamespace, projectOf } from "../scope.ts";
import { trouble } from "../trouble.ts";

const batchLines = 200;

/** Takes in a transcript of an agent, or an export of ours; doing it twice changes nothing. */
export const importFile: Command = {
  arguments: [{ syntax: "<file>", help: "a .jsonl file; `-` is standard input" }],
  options: [
    { flags: "-n, --namespace <name>", help: "into this namespace (name or id)" },
    {
      flags: "-p, --project <project>",
      help: "for a transcript: of this project; else told by its folder",
    },
  ],
  notes:
    "Told apart by content: a transcript of Claude Code, or what `tidemark export` wrote. Secrets are\n" +
    "taken out of either. Records of an export that this device has, or has forgotten, stay as they are.",
  run: async (deps, call) => {
    const memory = deps.memory();
    const name = call.text("namespace");
    const wanted = name === undefined ? undefined : findNamespace(memory, name);
    if (wanted?.ok === false) return wanted;
    const [path = ""] = call.args;
    const lines = path === "-" ? ok(deps.io.stdinLines()) : deps.files.lines(path);
    if (!lines.ok) return fail(trouble(lines.error));
    return await take({ deps, call, memory, into: wanted?.value.namespace }, lines.value);
  },
};

interface Import {
  readonly deps: CliDeps;
  readonly call: Call;
  readonly memory: Memory;
  readonly into: NamespaceId | undefined;
}

/** Takes lines until they end; one batch is one commit. */
interface Taker {
  take(lines: readonly string[]): void;
  end(): Outcome;
}

async function take(run: Import, lines: AsyncIterable<string>): Promise<Outcome> {
  let taker: Taker | undefined;
  let batch: string[] = [];
  let count = 0;
  for await (const line of lines) {
    if (taker === undefined && line.trim() === "") continue;
    taker ??= takerOf(run, line);
    if (taker === undefined) return fail(unknownFormat);
    batch.push(line);
    count += 1;
    if (batch.length < batchLines) continue;
    taker.take(batch);
    batch = [];
    if (run.deps.io.isErrTty) run.deps.io.err(`\r\u001B[K${counted(count, "line")} read`);
  }
  if (run.deps.io.isErrTty && count >= batchLines) run.deps.io.err("\r\u001B[K");
  if (taker === undefined) return fail(unknownFormat);
  taker.take(batch);
  return taker.end();
}

const unknownFormat = trouble({
  code: "unknown-format",
  message: "this is neither a transcript nor an export",
  hint: "give a .jsonl transcript of Claude Code, or a file that `tidemark export` wrote",
});

function takerOf(run: Import, firstLine: string): Taker | undefined {
  const first = parse(firstLine);
  if (!isObject(first)) return undefined;
  if (typeof first["collection"] === "string" && typeof first["id"] === "string") {
    return exportTaker(run);
  }
  const isTranscript = typeof first["type"] === "string" || typeof first["sessionId"] === "string";
  return isTranscript ? transcriptTaker(run) : undefined;
}

function parse(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line.replace(/^\uFEFF/u, "")) as JsonValue;
  } catch {
    return undefined;
  }
}

function transcriptTaker({ deps, call, memory, into }: Import): Taker {
  const home = deps.home();
  const named = projectOf(home, call.text("project"));
  const projects = new Map<string, string>();
  const projectAt = (folder: string): string => {
    const project = named ?? projects.get(folder) ?? home.projectAt(folder);
    projects.set(folder, project);
    return project;
  };
  const transcript = createTranscriptImport(memory, (event) => {
    const project = projectAt(event.cwd ?? "/");
    return { project, namespace: into ?? memory.store.bindings.namespaceOf(project) };
  });
  return {
    take: (lines) => {
      transcript.take(lines);
    },
    end: () => {
      const report = transcript.end();
      const { events, added, known, refused, skipped } = report;
      const text = [
        `${counted(events, "event")} read, ${counted(added, "observation")} added, ${known} known before`,
        ...(refused > 0 ? [`${refused} refused`] : []),
        ...skipped.slice(0, 5).map(({ line, reason }) => `line ${line} passed over: ${reason}`),
        ...(skipped.length > 5 ? [`… ${skipped.length - 5} more lines passed over`] : []),
      ];
      return ok({ json: { kind: "transcript", ...report }, text: text.join("\n") });
    },
  };
}

function exportTaker({ memory, into }: Import): Taker {
  let added = 0;
  let known = 0;
  let refused = 0;
  let lineNumber = 0;
  const unreadable: number[] = [];
  const target = into ?? memory.store.bindings.personal();
  const takeInto = (
    namespace: NamespaceId,
    lines: readonly (readonly [number, string])[],
  ): void => {
    const report = memory.store.transact(() =>
      importLines(
        memory,
        namespace,
        lines.map(([, line]) => line),
      ),
    );
    added += report.added;
    known += report.known;
    refused += report.refused;
    unreadable.push(...report.unreadable.map((at) => lines[at - 1]?.[0] ?? 0));
  };
  return {
    take: (lines) => {
      const numbered = lines.map((line, index) => [lineNumber + index + 1, line] as const);
      lineNumber += lines.length;
      // What was local stays local: an import must not send what never left a device.
      takeInto(
        target,
        numbered.filter(([, line]) => into !== undefined || !isLocal(line)),
      );
      takeInto(
        localNamespace,
        numbered.filter(([, line]) => into === undefined && isLocal(line)),
      );
    },
    end: () => {
      const text = [
        `${counted(added, "record")} added, ${known} known before`,
        ...(refused > 0 ? [`${refused} refused: the namespace takes no changes`] : []),
        ...(unreadable.length > 0
          ? [`lines that are no record: ${unreadable.slice(0, 10).join(", ")}`]
          : []),
      ];
      const json = { kind: "export", added, known, refused, unreadable };
      if (refused === 0) return ok({ json, text: text.join("\n") });
      const error = trouble({
        code: "refused",
        message: `${counted(refused, "record")} did not fit into the namespace`,
        hint: "import into another one: --namespace NAME",
      });
      return ok({ json, text: text.join("\n"), trouble: error });
    },
  };
}

function isLocal(line: string): boolean {
  const record = parse(line);
  return isObject(record) && record["namespace"] === localNamespace;
}
