import { fail, ok, type Result } from "@tidemark/protocol";
import type { BroughtRow } from "../../../../capture/brought/brought.ts";
import { claudeMemTables, parseClaudeMemRow } from "../../../../capture/brought/claude-mem.ts";
import { engrmTables, parseEngrmRow } from "../../../../capture/brought/engrm.ts";
import type { Fields, JsonValue } from "../../../../capture/json.ts";
import { createBringing } from "../../../../memory/bring.ts";
import { nativeBindingFor } from "../../../../platform/native-binding.ts";
import { copyDatabase } from "../../../../platform/private-copy.ts";
import { programPath } from "../../../../platform/program.ts";
import { openForeignDatabase, type ForeignDatabase } from "../../../../store/foreign-database.ts";
import { counted } from "../../render/text.ts";
import { trouble, type Trouble } from "../../trouble.ts";
import { placeOfBrought, takenOf, type ImportRun } from "./run.ts";
import { stoppedAfter, type Taken } from "./taken.ts";

const batchRows = 200;

/** A memory that keeps its rows in a database that is known here. */
interface Known {
  readonly name: string;
  /** Tables that no other of them has, all of which it has. */
  readonly marks: readonly string[];
  readonly rows: (
    db: ForeignDatabase,
    damaged: (table: string) => void,
  ) => Iterable<[Fields, Parse]>;
}

type Parse = (row: Fields) => BroughtRow;

const databases: readonly Known[] = [
  {
    name: "claude-mem",
    marks: ["sdk_sessions", "observations"],
    *rows(db, damaged) {
      for (const table of claudeMemTables) {
        if (!db.tables.has(table)) continue;
        const parse: Parse = (row) => parseClaudeMemRow(table, row);
        for (const row of db.rows(table, () => damaged(table))) yield [row, parse];
      }
    },
  },
  {
    name: "engrm",
    marks: ["sync_outbox", "observations", "projects"],
    *rows(db, damaged) {
      const projects = new Map<unknown, Fields>();
      for (const row of db.rows("projects", () => damaged("projects")))
        projects.set(row["id"], row);
      for (const table of engrmTables) {
        if (!db.tables.has(table)) continue;
        const parse: Parse = (row) => parseEngrmRow(table, row);
        for (const row of db.rows(table, () => damaged(table))) {
          yield [{ ...row, project: projects.get(row["project_id"]) ?? null }, parse];
        }
      }
    },
  },
];

/** Takes in the database of another memory; the file itself is only read (IM3). */
export async function takeDatabase(run: ImportRun, path: string): Promise<Result<Taken, Trouble>> {
  const copy = copyDatabase(path);
  if (!copy.ok) return fail(unreadable(path, copy.error));
  try {
    const opened = openForeignDatabase(copy.value.path, nativeBindingFor(programPath()));
    if (!opened.ok) return fail(unreadable(path, opened.error));
    try {
      const known = databases.find(({ marks }) =>
        marks.every((each) => opened.value.tables.has(each)),
      );
      return known === undefined
        ? fail(foreign(path))
        : ok(await takeRows(run, known, opened.value));
    } finally {
      opened.value.close();
    }
  } finally {
    copy.value.remove();
  }
}

async function takeRows(
  run: ImportRun,
  { name, rows }: Known,
  db: ForeignDatabase,
): Promise<Taken> {
  const placeOf = placeOfBrought(run);
  const bringing = createBringing(run.memory, { source: name, placeOf, isDry: run.isDry });
  const damage: BroughtRow[] = [];
  const note = (table: string): void => {
    const reason = "the file is damaged there; what came before is taken";
    damage.push({ ok: false, from: `${name}, the rest of ${table}`, reason });
  };
  let batch: BroughtRow[] = [];
  let count = 0;
  for (const [row, parse] of rows(db, note)) {
    batch.push(parse(run.memory.scrub.payload(textsOf(row)) as Fields));
    count += 1;
    if (batch.length < batchRows) continue;
    bringing.take(batch);
    batch = [];
    run.progress.tell(`${counted(count, "row")} read`);
    if (await run.isStopped()) return stoppedAfter({ kept: () => bringing.report().added });
  }
  bringing.take([...batch, ...damage]);
  return takenOf(name, bringing.report(), run.isDry);
}

/** Bytes and numbers beyond JSON say nothing here. */
function textsOf(row: Fields): JsonValue {
  return JSON.parse(
    JSON.stringify(row, (_, value: unknown) =>
      typeof value === "bigint" || value instanceof Uint8Array ? null : value,
    ),
  ) as JsonValue;
}

function unreadable(path: string, why: string): Trouble {
  const message = `${path} cannot be read: ${why}`;
  return trouble({ code: "unreadable", message, hint: "check the path" });
}

function foreign(path: string): Trouble {
  return trouble({
    code: "unknown-format",
    message: `${path} is a database of neither claude-mem nor engrm`,
    hint: "`tidemark import` lists what it finds and knows",
  });
}
