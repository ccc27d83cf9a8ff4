import type { Result } from "@tidemark/protocol";

/** Why a file that a person named cannot be used. */
interface FileTrouble {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** A new file under its writer's hands; one that a write failed for is gone. */
export interface NewFile {
  append(text: string): Result<void, FileTrouble>;
  /** Once all is written: it stays there through a power cut. */
  end(): Result<void, FileTrouble>;
  /** Takes it away again. */
  drop(): void;
}

/** A folder that is filled with new files. */
export interface NewFolder {
  create(name: string): Result<NewFile, FileTrouble>;
  /** Takes away all that was written into it, and the folders that were made for it. */
  drop(): void;
}

/** Files that a person names. */
export interface FileReader {
  /** The file's lines, split at line feeds alone; they end early, with no error, where the signal aborts. */
  lines(path: string, signal?: AbortSignal): Result<AsyncIterable<string>, FileTrouble>;
  /** How long the file is; 0 for a pipe. */
  bytes(path: string): number;
  /** A new private file that is written in pieces. */
  create(path: string): Result<NewFile, FileTrouble>;
  /** A new folder that only its owner may use; one that is there has to be empty. */
  createFolder(path: string): Result<NewFolder, FileTrouble>;
}
