import { decodeState, fail, ok, readCanonicalRecord, type DecodedState } from "@tidemark/protocol";
import { bodyOfLines } from "@tidemark/protocol/wire";
import type { z } from "zod";
import type { PageLine } from "../../store/prepared/page-columns.ts";
import type { Answer } from "../transport.ts";
import { garbled, parseJson } from "./failures.ts";
import { isTooDeep } from "./json-depth.ts";

/** A header and lines as a body. */
export function encodeLines(header: object, lines: readonly string[]): Uint8Array<ArrayBuffer> {
  return bodyOfLines([JSON.stringify(header), ...lines]);
}

/** Order that the seqs of an answer must have. */
export type SeqOrder = "rising" | "any";

/**
 * Reads an answer of states and a last line (WR31). One line that cannot be read, a seq out of
 * order or a missing last line refuses the whole answer: half a page must never be taken.
 */
export function decodeStates<Tail>(
  lines: readonly PageLine[],
  tailSchema: z.ZodType<Tail>,
  order: SeqOrder,
): Answer<{ readonly records: readonly DecodedState[]; readonly tail: Tail }> {
  const last = lines.at(-1);
  const tail = tailSchema.safeParse(typeof last === "string" ? parseJson(last) : undefined);
  if (!tail.success) return fail(garbled);
  const records: DecodedState[] = [];
  let lastSeq = 0;
  for (const line of lines.slice(0, -1)) {
    const record = typeof line === "string" ? readLine(line) : line;
    if (record?.seq === undefined) return fail(garbled);
    if (order === "rising" && record.seq <= lastSeq) return fail(garbled);
    lastSeq = record.seq;
    records.push(record);
  }
  return ok({ records, tail: tail.data });
}

function readLine(line: string): DecodedState | undefined {
  return readCanonicalRecord(line) ?? readState(line);
}

// Without the line it came in, whose body would stay in memory as long as the page.
function readState(line: string): DecodedState | undefined {
  if (isTooDeep(line)) return undefined;
  const decoded = decodeState(line);
  if (!decoded.ok) return undefined;
  const { state, seq } = decoded.value;
  return seq === undefined ? undefined : { state, seq };
}
