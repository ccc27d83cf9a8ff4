import { createReadStream, mkdirSync, readdirSync, rmSync, rmdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { fail, ok, type Result } from "@tidemark/protocol";
import { errnoOf } from "./errno.ts";
import { writePrivateFile, type FileError } from "./private-file.ts";

/** Why a file that a person named cannot be used. */
export interface TextFileError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** A file that a person named broke off under its reader. */
export class UnreadableFileError extends Error {
  readonly error: TextFileError;

  constructor(path: string, reason: string, options: ErrorOptions) {
    const message = `${path} cannot be read: ${reason}`;
    super(message, options);
    this.error = { code: "no-file", message, hint: `ls -l ${path} shows whose it is` };
  }
}

/** Largest file that is read, in bytes. */
export const textFileBytesMax = 1_073_741_824;
/** Characters of one line that are kept; of a longer one its beginning comes, which is no JSON. */
export const textLineCharsMax = 33_554_432;
/** What is left of a line that is too long. */
const cutLineChars = 1_000;

/**
 * The lines of a file or pipe, split at line feeds alone (CL17). Devices and sockets, which may
 * never end or do something when they are read, and files beyond a GiB are refused. Where a signal is
 * given and aborts, the lines end there: who gave it asks whether it did.
 */
export function fileLines(
  path: string,
  signal?: AbortSignal,
): Result<AsyncIterable<string>, TextFileError> {
  const hint = "check the path";
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return fail({ code: "no-file", message: `${path} is a folder`, hint });
    if (!stats.isFile() && !stats.isFIFO()) {
      return fail({ code: "no-file", message: `${path} is no file`, hint });
    }
    if (stats.size > textFileBytesMax) {
      return fail({ code: "too-large", message: `${path} is larger than a GiB`, hint: "split it" });
    }
    return ok(linesOf(readable(path, chunksOf(createReadStream(path), signal))));
  } catch (cause) {
    const code = errnoOf(cause) ?? "unknown";
    const message =
      code === "ENOENT" ? `there is no file ${path}` : `${path} cannot be read: ${code}`;
    return fail({ code: "no-file", message, hint });
  }
}

/** The lines of standard input; see {@link fileLines} for the signal. */
export function stdinLines(signal?: AbortSignal): AsyncIterable<string> {
  return linesOf(chunksOf(process.stdin, signal));
}

/** A new file that only its owner can read, written in pieces. */
export interface NewTextFile {
  append(text: string): Result<void, TextFileError>;
  /** Once all is written: it stays there through a power cut. */
  end(): Result<void, TextFileError>;
  /** Takes it away again. */
  drop(): void;
}

/** Makes a new file, and none where something of that name is there; one that a write failed for is gone. */
export function createTextFile(path: string): Result<NewTextFile, TextFileError> {
  const created = writePrivateFile(path);
  if (!created.ok) return fail(wordsOf(created.error));
  const file = created.value;
  const wholeOrGone = (done: Result<void, FileError>): Result<void, TextFileError> => {
    if (done.ok) return done;
    // What is there of it would pass for the whole, and keep the name from the next try.
    file.drop();
    return fail(wordsOf(done.error));
  };
  return ok({
    append: (text) => wholeOrGone(file.append(text)),
    end: () => wholeOrGone(file.end()),
    drop: () => {
      file.drop();
    },
  });
}

/** A folder that one program fills with new files. */
export interface NewTextFolder {
  /** See {@link createTextFile}. */
  create(name: string): Result<NewTextFile, TextFileError>;
  /** Takes away all that was written into it, and the folders that were made for it. */
  drop(): void;
}

/** Makes a folder that only its owner may use; one that is there has to be empty. */
export function createFolder(path: string): Result<NewTextFolder, TextFileError> {
  try {
    const firstMade = mkdirSync(path, { recursive: true, mode: 0o700 });
    if (readdirSync(path).length === 0) return ok(folderAt(path, firstMade));
    const hint = "name a new folder, or empty this one";
    return fail({ code: "exists", message: `the folder ${path} is not empty`, hint });
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === undefined) throw cause;
    const message = `the folder ${path} cannot be made: ${code}`;
    return fail({ code: "no-folder", message, hint: "check the path" });
  }
}

/** `firstMade` is the outermost folder that was made on the way to it; undefined where all were there. */
function folderAt(path: string, firstMade: string | undefined): NewTextFolder {
  const written: string[] = [];
  return {
    create: (name) => {
      const filePath = join(path, name);
      const file = createTextFile(filePath);
      if (file.ok) written.push(filePath);
      return file;
    },
    drop: () => {
      // Whoever gives it up tells why; what cannot be taken away is no news beside it.
      unlessRefused(() => {
        for (const each of written) rmSync(each, { force: true });
        if (firstMade !== undefined) removeFolders(resolve(path), resolve(firstMade));
      });
    },
  };
}

/** Removes a folder and those around it, up to the outermost; ends at the first that holds anything. */
function removeFolders(path: string, outermost: string): void {
  rmdirSync(path);
  if (path !== outermost) removeFolders(dirname(path), outermost);
}

function unlessRefused(act: () => void): void {
  try {
    act();
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
  }
}

function wordsOf({ kind, path, hint }: FileError): TextFileError {
  if (kind === "exists") {
    return {
      code: "exists",
      message: `${path} exists already`,
      hint: "give another name, or remove it",
    };
  }
  return { code: "no-file", message: `${path} cannot be written`, hint };
}

/** A stream's chunks, until it ends or the signal aborts: waiting for input hears nothing else. */
async function* chunksOf(
  stream: Readable,
  signal: AbortSignal | undefined,
): AsyncIterable<unknown> {
  const stop = (): void => {
    stream.destroy();
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of stream) yield chunk;
  } catch (cause) {
    // A stream that was ended so tells that it broke off.
    if (signal?.aborted !== true) throw cause;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** That a file which is there cannot be read, or not to its end, shows only as it is read. */
async function* readable(path: string, chunks: AsyncIterable<unknown>): AsyncIterable<unknown> {
  try {
    yield* chunks;
  } catch (cause) {
    const code = errnoOf(cause);
    throw code === undefined ? cause : new UnreadableFileError(path, code, { cause });
  }
}

async function* linesOf(
  chunks: AsyncIterable<unknown>,
  charsMax: number = textLineCharsMax,
): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let isCut = false;
  const add = (text: string): void => {
    if (isCut) return;
    rest += text;
    if (rest.length <= charsMax) return;
    rest = rest.slice(0, cutLineChars);
    isCut = true;
  };
  for await (const chunk of chunks) {
    const text =
      typeof chunk === "string" ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
    const parts = text.split("\n");
    const last = parts.pop() ?? "";
    for (const part of parts) {
      add(part);
      yield rest;
      rest = "";
      isCut = false;
    }
    add(last);
  }
  add(decoder.decode());
  if (rest !== "") yield rest;
}
