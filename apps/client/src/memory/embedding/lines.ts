import { fail, isArray, isObject, ok, type JsonValue, type Result } from "@tidemark/protocol";
import { dimensionsMax, int8Of } from "../../store/vectors/int8.ts";

/** What a text is to its embedder: models that tell them apart embed a search otherwise. */
export type TextRole = "document" | "query";

/** What an embedder reads on standard input: a line of JSON for each text (RC30). */
export function embedderInput(role: TextRole, texts: readonly string[]): string {
  return texts.map((text) => `${JSON.stringify({ role, text })}\n`).join("");
}

/**
 * Reads what an embedder wrote: a line for each text in the order of the texts, either a JSON array of
 * numbers or `null` where it makes nothing of the text. Fails where lines are missing or too many, or
 * where one is anything else, or is not as long as the others.
 */
export function readVectors(
  output: string,
  count: number,
): Result<readonly (Int8Array | undefined)[], "unreadable"> {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  if (lines.length !== count) return fail("unreadable");
  const vectors: (Int8Array | undefined)[] = [];
  let dimensions: number | undefined;
  for (const line of lines) {
    const vector = readVector(line);
    if (!vector.ok) return vector;
    vectors.push(vector.value);
    if (vector.value === undefined) continue;
    dimensions ??= vector.value.length;
    if (vector.value.length !== dimensions) return fail("unreadable");
  }
  return ok(vectors);
}

function readVector(line: string): Result<Int8Array | undefined, "unreadable"> {
  const told = parsed(line);
  // What asks a server often has it by this name, and passes its answer on.
  const value = isObject(told) ? told["embedding"] : told;
  if (value === null) return ok(undefined);
  if (!isArray(value) || value.length > dimensionsMax) return fail("unreadable");
  const numbers = value.filter((part) => typeof part === "number");
  const vector = numbers.length === value.length ? int8Of(numbers) : undefined;
  return vector === undefined ? fail("unreadable") : ok(vector);
}

function parsed(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}
