import type { Result } from "@tidemark/protocol";

/** Why a file that a person named cannot be used. */
interface FileTrouble {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Files that a person names. */
export interface FileReader {
  /** The file's lines, split at line feeds alone. */
  lines(path: string): Result<AsyncIterable<string>, FileTrouble>;
  /** How long the file is; 0 for a pipe. */
  bytes(path: string): number;
  /** A new private file that is written in pieces. */
  create(path: string): Result<{ append(text: string): Result<void, FileTrouble> }, FileTrouble>;
  /** A new folder that only its owner may use; one that is there has to be empty. */
  createFolder(path: string): Result<void, FileTrouble>;
}
