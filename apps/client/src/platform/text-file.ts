import { createReadStream, statSync } from "node:fs";
import { fail, ok, type Result } from "@tidemark/protocol";
import { errnoOf } from "./errno.ts";
import { appendPrivateFile, createPrivateFile, type FileError } from "./private-file.ts";

/** Why a file that a person named cannot be used. */
export interface TextFileError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** The lines of a file, split at line feeds alone. */
export function fileLines(path: string): Result<AsyncIterable<string>, TextFileError> {
  const hint = "check the path";
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return fail({ code: "no-file", message: `${path} is a folder`, hint });
    return ok(linesOf(createReadStream(path)));
  } catch (cause) {
    const code = errnoOf(cause) ?? "unknown";
    const message =
      code === "ENOENT" ? `there is no file ${path}` : `${path} cannot be read: ${code}`;
    return fail({ code: "no-file", message, hint });
  }
}

/** The lines of standard input. */
export function stdinLines(): AsyncIterable<string> {
  return linesOf(process.stdin);
}

/** A new file that only its owner can read, written in pieces. */
export function createTextFile(
  path: string,
): Result<{ append(text: string): Result<void, TextFileError> }, TextFileError> {
  const created = createPrivateFile(path, "");
  if (!created.ok) return fail(wordsOf(created.error));
  return ok({
    append: (text) => {
      const appended = appendPrivateFile(path, text, { durable: false });
      return appended.ok ? appended : fail(wordsOf(appended.error));
    },
  });
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

async function* linesOf(chunks: AsyncIterable<unknown>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const text =
      typeof chunk === "string" ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
    if (!text.includes("\n")) {
      rest += text;
      continue;
    }
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
