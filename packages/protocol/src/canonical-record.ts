import { CanonicalPut } from "./canonical-put.ts";
import { count, fields, findNames, id, wallTime } from "./canonical-text.ts";
import type { DecodedState } from "./decode.ts";
import type { RecordId, WriterId } from "./ids.ts";
import { limits } from "./limits.ts";
import { NewRecord } from "./new-record.ts";

/**
 * Reads a live record from its line where the line is provably canonical and no field was changed
 * later: what `decodeState` would give, with the very texts that row and digest are made of.
 * Undefined says nothing of the line: it may be a wrong one, or a good one in another form.
 */
export function readCanonicalRecord(line: string): DecodedState | undefined {
  if (line.length > limits.opBytesMax) return undefined;
  const match = recordLine.exec(line);
  if (match === null) return undefined;
  const [, seq, record = "", collection = "", parent, lamport, writer, at, text = ""] = match;
  const names = findNames(text);
  if (names === undefined) return undefined;
  const head = {
    // Which of its writer's ops it was, nobody knows and nobody asks of a record.
    n: 1,
    record: record as RecordId,
    collection,
    parent: parent as RecordId | undefined,
    lamport: Number(lamport),
    at: Number(at),
  };
  const put = new CanonicalPut(head, text, names);
  return { state: new NewRecord(put, writer as WriterId), seq: Number(seq) };
}

const recordLine = new RegExp(
  String.raw`^\{"seq":${count},"id":${id},"collection":${id}(?:,"parent":${id})?,` +
    String.raw`"lamport":${count},"writer":${id},"at":${wallTime},"fields":${fields}\}$`,
);
