import { present, textOf, type Fields } from "../json.ts";
import {
  broughtKind,
  firstLine,
  listIn,
  millisecondsOf,
  namedParts,
  nothingYet,
  type BroughtProject,
  type BroughtRow,
} from "./brought.ts";

/** Tables of claude-mem that hold memory; its prompts and its tools' uses are none. */
export const claudeMemTables = ["observations", "session_summaries"] as const;

/** Reads one row of claude-mem's database, as versions 4 to 13 write it. */
export function parseClaudeMemRow(
  table: (typeof claudeMemTables)[number],
  row: Fields,
): BroughtRow {
  return table === "observations" ? observationOf(row) : summaryOf(row);
}

function observationOf(row: Fields): BroughtRow {
  const from = `claude-mem observation ${String(row["id"])}`;
  // Its first versions had one text and no title.
  const narrative = textOf(row, "narrative", "text") ?? "";
  const title = textOf(row, "title") ?? firstLine(narrative);
  if (title.trim() === "") return { ok: false, from, reason: "it has neither title nor text" };
  const subtitle = textOf(row, "subtitle");
  return {
    ok: true,
    value: {
      ...nothingYet,
      from,
      key: rowKey(row),
      kind: broughtKind(textOf(row, "type")),
      title,
      narrative: [subtitle, narrative]
        .filter((part) => part !== undefined && part !== "")
        .join("\n\n"),
      facts: listIn(row["facts"]),
      concepts: listIn(row["concepts"]),
      filesRead: listIn(row["files_read"]),
      filesModified: listIn(row["files_modified"]),
      ...contextOf(row),
    },
  };
}

function summaryOf(row: Fields): BroughtRow {
  const from = `claude-mem summary ${String(row["id"])}`;
  const parts = {
    Investigated: textOf(row, "investigated"),
    Learned: textOf(row, "learned"),
    Completed: textOf(row, "completed"),
    Next: textOf(row, "next_steps"),
    Notes: textOf(row, "notes"),
  };
  const narrative = namedParts(parts);
  const title = textOf(row, "request") ?? firstLine(narrative);
  if (title.trim() === "") return { ok: false, from, reason: "it is empty" };
  return {
    ok: true,
    value: {
      ...nothingYet,
      from,
      key: rowKey(row),
      title: firstLine(title),
      narrative: title.includes("\n") ? `${title}\n\n${narrative}` : narrative,
      filesRead: listIn(row["files_read"]),
      filesModified: listIn(row["files_edited"]),
      ...contextOf(row),
    },
  };
}

/** Numbers of rows differ from machine to machine; session and time do not. */
function rowKey(row: Fields): string {
  return `${textOf(row, "memory_session_id") ?? ""} ${String(row["created_at_epoch"])}`;
}

function contextOf(row: Fields): { readonly atMs?: number; readonly project?: BroughtProject } {
  const name = textOf(row, "merged_into_project", "project");
  return present({
    atMs: millisecondsOf(row["created_at_epoch"]),
    project: name === undefined ? undefined : { name },
  });
}
