import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { GeneratedObservation } from "../sync/observations.ts";
import type { Contents } from "./peer.ts";

/** Throws unless B holds exactly the observations that A had, field by field. */
export function checkContents(
  { file, own = {} }: Contents,
  observations: readonly GeneratedObservation[],
): void {
  const found = new Map<string, unknown>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line === "") continue;
    const { id, fields } = JSON.parse(line) as GeneratedObservation;
    found.set(id, fields);
  }
  if (found.size !== observations.length) {
    throw new Error(`B has ${found.size} of ${observations.length} observations`);
  }
  for (const { id, fields } of observations) {
    if (!isDeepStrictEqual(found.get(id), { ...fields, ...own })) {
      throw new Error(`B has other fields of ${id}: ${JSON.stringify(found.get(id))}`);
    }
  }
}
