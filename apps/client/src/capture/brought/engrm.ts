import { isFields, present, textOf, type Fields } from "../json.ts";
import {
  broughtKind,
  firstLine,
  listIn,
  millisecondsOf,
  namedParts,
  nothingYet,
  type Brought,
  type BroughtProject,
  type BroughtRow,
} from "./brought.ts";

/** Tables of engrm that hold memory. */
export const engrmTables = ["observations", "session_summaries"] as const;

/**
 * Reads one row of engrm's database (its migrations 1 to 10), with the row of its project under
 * `project`. What engrm kept from other people and other devices goes no further here.
 */
export function parseEngrmRow(table: (typeof engrmTables)[number], row: Fields): BroughtRow {
  return table === "observations" ? observationOf(row) : summaryOf(row);
}

function observationOf(row: Fields): BroughtRow {
  const from = `engrm observation ${String(row["id"])}`;
  const narrative = textOf(row, "narrative") ?? "";
  const title = textOf(row, "title") ?? firstLine(narrative);
  if (title.trim() === "") return { ok: false, from, reason: "it has neither title nor text" };
  const lifecycle = textOf(row, "lifecycle");
  if (lifecycle === "purged") return { ok: false, from, reason: "engrm had purged it" };
  const isHidden = lifecycle === "archived" || typeof row["superseded_by"] === "number";
  return {
    ok: true,
    value: {
      ...nothingYet,
      from,
      key: `${textOf(row, "session_id") ?? ""} ${String(row["created_at_epoch"])}`,
      kind: broughtKind(textOf(row, "type")),
      title,
      narrative,
      facts: listIn(row["facts"]),
      concepts: listIn(row["concepts"]),
      filesRead: listIn(row["files_read"]),
      filesModified: listIn(row["files_modified"]),
      ...(lifecycle === "pinned" ? { pinned: true } : {}),
      ...(isHidden ? { archived: true } : {}),
      ...reachOf(row),
      ...contextOf(row),
    },
  };
}

function summaryOf(row: Fields): BroughtRow {
  const from = `engrm summary ${String(row["id"])}`;
  const narrative = namedParts({
    Investigated: textOf(row, "investigated"),
    Learned: textOf(row, "learned"),
    Completed: textOf(row, "completed"),
    Next: textOf(row, "next_steps"),
  });
  const title = firstLine(textOf(row, "request") ?? narrative);
  if (title === "") return { ok: false, from, reason: "it is empty" };
  const key = `${textOf(row, "session_id") ?? ""} ${String(row["created_at_epoch"])}`;
  return { ok: true, value: { ...nothingYet, from, key, title, narrative, ...contextOf(row) } };
}

function reachOf(row: Fields): Pick<Brought, "reach"> {
  const sensitivity = textOf(row, "sensitivity");
  if (sensitivity === "secret") return { reach: "device" };
  return sensitivity === "personal" ? { reach: "person" } : {};
}

function contextOf(row: Fields): Pick<Brought, "atMs" | "project"> {
  return present({
    atMs: millisecondsOf(row["created_at_epoch"]),
    project: isFields(row["project"]) ? projectOf(row["project"]) : undefined,
  });
}

function projectOf(row: Fields): BroughtProject {
  const canonical = textOf(row, "canonical_id");
  const isRemote = canonical !== undefined && !canonical.startsWith("local/");
  return present({
    name: textOf(row, "name"),
    remote: isRemote ? canonical : undefined,
    folder: textOf(row, "local_path"),
  });
}
