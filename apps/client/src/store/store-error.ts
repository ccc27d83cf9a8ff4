import { fail, ok, type Result } from "@tidemark/protocol";

/** Why the store cannot work, in a form that tells the caller what to do. */
export interface StoreError {
  readonly kind:
    | "busy"
    | "full"
    | "corrupt"
    | "read-only"
    | "cannot-open"
    | "io"
    | "native-module"
    | "newer-database"
    | "moved"
    | "unsupported";
  /** What is wrong, without memory text. */
  readonly message: string;
  /** What a person can do about it. */
  readonly hint: string;
}

/**
 * Runs store calls and gives trouble of the machine as a value: a locked, full, damaged or
 * unreadable database (ST9). Everything else is a bug and is thrown on.
 */
export function attempt<T>(work: () => T): Result<T, StoreError> {
  try {
    return ok(work());
  } catch (error) {
    const storeError = storeErrorOf(error);
    if (storeError === undefined) throw error;
    return fail(storeError);
  }
}

/** A store error that is thrown, where a check finds what SQLite has no code for. */
export class StoreFailure extends Error {
  readonly error: StoreError;

  constructor(error: StoreError) {
    super(error.message);
    this.name = "StoreFailure";
    this.error = error;
  }
}

/** What an exception says about the machine; undefined for a bug. */
export function storeErrorOf(error: unknown): StoreError | undefined {
  if (error instanceof StoreFailure) return error.error;
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "" && error.message.startsWith("Cannot open database")) {
    return { kind: "cannot-open", message: error.message, hint: hints["cannot-open"] };
  }
  const kind = kindByCode().find(([pattern]) => pattern.test(code))?.[1];
  if (kind === undefined) return undefined;
  return { kind, message: `${error.message} (${code})`, hint: hints[kind] };
}

const kindByCode = (): readonly (readonly [RegExp, StoreError["kind"]])[] => [
  [/^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/, "busy"],
  // The shared memory beside the database is the first that a full disk has no room for.
  [/^SQLITE_(?:FULL|IOERR_SHMSIZE)/, "full"],
  [/^SQLITE_(?:CORRUPT|NOTADB)/, "corrupt"],
  [/^SQLITE_READONLY/, "read-only"],
  [/^SQLITE_(?:CANTOPEN|PERM|AUTH)/, "cannot-open"],
  [/^SQLITE_IOERR/, "io"],
  [/^(?:ENOSPC|EDQUOT)$/, "full"],
  [/^(?:EACCES|EPERM|EROFS)$/, "read-only"],
  [/^EIO$/, "io"],
  [/^(?:ERR_DLOPEN_FAILED|MODULE_NOT_FOUND)$/, "native-module"],
];

const hints: Readonly<Record<StoreError["kind"], string>> = {
  busy: "another tidemark process is writing; try again in a moment",
  full: "free some space on the disk that holds the database, then try again",
  corrupt: "run `tidemark doctor`: it saves what can be read and repairs the rest",
  "read-only": "make the database and its folder writable for you, then try again",
  "cannot-open": "check that the folder of the database exists, belongs to you and can be written",
  io: "check the disk of the database: whether it is full, and whether it is sound",
  "native-module": "install tidemark again with the Node.js that runs it",
  "newer-database": "update tidemark on this device: a newer version has used this database",
  moved: "start the program again: it opens the database that is there now",
  unsupported: "set TIDEMARK_HOME to a folder on a local disk",
};

/** The hint that goes with a kind of error. */
export function hintOf(kind: StoreError["kind"]): string {
  return hints[kind];
}

/** The hint that goes with what may be the name of a kind. */
export function hintNamed(name: string): string | undefined {
  return Object.hasOwn(hints, name) ? hints[name as StoreError["kind"]] : undefined;
}
