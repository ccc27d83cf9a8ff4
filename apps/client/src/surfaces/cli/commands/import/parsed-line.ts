import type { JsonValue } from "@tidemark/protocol";

/** A line of a file as JSON; undefined where it is none. */
export function parseLine(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line.replace(/^\uFEFF/u, "")) as JsonValue;
  } catch {
    return undefined;
  }
}
