import { fail, ok, type Result } from "@tidemark/protocol";

/** What a backup says of itself, in its first line. */
export interface BackupHeader {
  readonly format: "tidemark-backup";
  /** The layout of the file. */
  readonly version: 1;
  /** The version of the program that wrote it. */
  readonly program: string;
  /** Of PostgreSQL, such as `170005`. */
  readonly postgres: number;
  readonly serverId: string;
  /** Whether it has an owner. */
  readonly isClaimed: boolean;
  readonly takenAtMs: number;
  /** The migrations that its tables have behind them. */
  readonly migrations: readonly string[];
}

/** A table whose rows follow. */
export interface TableStart {
  readonly table: string;
  readonly columns: readonly string[];
}

/** A running SHA-256. */
export interface RunningHash {
  update(bytes: Uint8Array): void;
  hex(): string;
}

/** What a backup is made of, in order: one header, then tables with their rows. */
export type BackupPart =
  | { readonly kind: "header"; readonly header: BackupHeader }
  | { readonly kind: "table"; readonly start: TableStart }
  | { readonly kind: "rows"; readonly bytes: Uint8Array }
  | { readonly kind: "table-end" };

/** Why a file cannot be restored. */
export type ArchiveFlaw = "not-a-backup" | "newer-layout" | "damaged";

/** A file that is no whole backup; thrown in the middle of reading, so that the reader undoes. */
export class ArchiveDamaged extends Error {
  readonly flaw: ArchiveFlaw;

  constructor(flaw: ArchiveFlaw) {
    super(`the backup is ${flaw}`);
    this.name = "ArchiveDamaged";
    this.flaw = flaw;
  }
}

const layout = 1;
const newline = 10;
/** PostgreSQL's own mark of the end of a COPY; its rows never hold a line of that. */
const rowsEnd = Buffer.from("\\.\n");
const rowsEndAfterRow = Buffer.from("\n\\.\n");
/** Longest line that is not a row, in bytes. */
const lineBytesMax = 65_536;

/**
 * Puts a backup together: lines of JSON, and between them each table's rows as PostgreSQL's COPY
 * writes text, ended by `\.`; the last line is the SHA-256 of all before it.
 */
export function createArchiveWriter(
  hash: RunningHash,
  write: (bytes: Uint8Array) => Promise<void>,
): {
  header(header: BackupHeader): Promise<void>;
  table(start: TableStart): Promise<void>;
  rows(bytes: Uint8Array): Promise<void>;
  tableEnd(): Promise<void>;
  end(): Promise<void>;
} {
  const put = async (bytes: Uint8Array): Promise<void> => {
    hash.update(bytes);
    await write(bytes);
  };
  const line = async (value: object): Promise<void> => {
    await put(Buffer.from(`${JSON.stringify(value)}\n`));
  };
  return {
    header: line,
    table: line,
    rows: put,
    tableEnd: async () => await put(rowsEnd),
    end: async () => await write(Buffer.from(`${JSON.stringify({ sha256: hash.hex() })}\n`)),
  };
}

/** Takes a backup apart; throws {@link ArchiveDamaged} where it is none, or not whole. */
export async function* readArchive(
  hash: RunningHash,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<BackupPart> {
  let rest = Buffer.alloc(0);
  let place: Place = "header";
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const taken: Taken | undefined =
        place === "rows" ? takeRows(rest) : takeLine(hash, rest, place);
      if (taken === undefined) break;
      if (taken.place !== "end") hash.update(rest.subarray(0, taken.count));
      rest = rest.subarray(taken.count);
      place = taken.place;
      yield* taken.parts;
    }
    if (place !== "rows" && rest.length > lineBytesMax) {
      throw new ArchiveDamaged(place === "header" ? "not-a-backup" : "damaged");
    }
  }
  if (place === "header") throw new ArchiveDamaged("not-a-backup");
  if (place !== "end" || rest.length > 0) throw new ArchiveDamaged("damaged");
}

type Place = "header" | "between" | "rows" | "end";

interface Taken {
  readonly count: number;
  readonly place: Place;
  readonly parts: readonly BackupPart[];
}

function takeLine(hash: RunningHash, rest: Buffer, place: Place): Taken | undefined {
  const end = rest.indexOf(newline);
  if (end < 0) return undefined;
  if (place === "end") throw new ArchiveDamaged("damaged");
  const count = end + 1;
  const line = parseLine(rest.toString("utf8", 0, end));
  if (place === "header") {
    const header = parseHeader(line);
    if (!header.ok) throw new ArchiveDamaged(header.error);
    return { count, place: "between", parts: [{ kind: "header", header: header.value }] };
  }
  if (isTableStart(line)) return { count, place: "rows", parts: [{ kind: "table", start: line }] };
  if (!hasMember(line, "sha256") || line.sha256 !== hash.hex()) throw new ArchiveDamaged("damaged");
  return { count, place: "end", parts: [] };
}

function takeRows(rest: Buffer): Taken | undefined {
  const isOver = rest.subarray(0, rowsEnd.length).equals(rowsEnd);
  const found = isOver ? 0 : rest.indexOf(rowsEndAfterRow) + 1;
  if (isOver || found > 0) {
    const rows = { kind: "rows", bytes: rest.subarray(0, found) } as const;
    const parts = found === 0 ? [] : [rows];
    return {
      count: found + rowsEnd.length,
      place: "between",
      parts: [...parts, { kind: "table-end" }],
    };
  }
  // What is after the last whole row may be the beginning of the end.
  const whole = rest.lastIndexOf(newline) + 1;
  if (whole === 0) return undefined;
  const bytes = rest.subarray(0, whole);
  return { count: whole, place: "rows", parts: [{ kind: "rows", bytes }] };
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseHeader(line: unknown): Result<BackupHeader, ArchiveFlaw> {
  if (!hasMember(line, "format") || line.format !== "tidemark-backup") return fail("not-a-backup");
  if (!hasMember(line, "version") || line.version !== layout) return fail("newer-layout");
  return isHeader(line) ? ok(line) : fail("damaged");
}

const headerTypes = {
  program: "string",
  postgres: "number",
  serverId: "string",
  isClaimed: "boolean",
  takenAtMs: "number",
} as const;

function isHeader(line: object): line is BackupHeader {
  const isTyped = Object.entries(headerTypes).every(
    ([name, type]) => hasMember(line, name) && typeof line[name] === type,
  );
  return isTyped && hasMember(line, "migrations") && isTexts(line.migrations);
}

function isTableStart(line: unknown): line is TableStart {
  return (
    hasMember(line, "table") &&
    typeof line.table === "string" &&
    hasMember(line, "columns") &&
    isTexts(line.columns)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function hasMember<K extends string>(value: unknown, name: K): value is Record<K, unknown> {
  return typeof value === "object" && value !== null && name in value;
}
