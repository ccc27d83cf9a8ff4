import {
  chainNext,
  decodeOp,
  fail,
  limits,
  ok,
  readCanonicalPut,
  type DeviceId,
  type NamespaceId,
  type Op,
  type RecordId,
  type RejectCode,
  type Result,
  type Sha256,
} from "@tidemark/protocol";
import type { PushHeader } from "@tidemark/protocol/wire";
import { utf8Bytes } from "./draft.ts";
import { emptyMissing, type Missing } from "./known.ts";

/** A push as it came in. */
export interface PushRequest {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  readonly header: PushHeader;
  /** The op lines byte for byte, without their line ends (CH1). */
  readonly lines: readonly string[];
}

/** One op line, read. */
export interface PreparedOp {
  readonly n: number;
  readonly bytes: number;
  readonly decoded: Result<Op, RejectCode>;
}

/** A push that is read and hashed, so that its transaction has only to decide. */
export interface PreparedPush {
  readonly device: DeviceId;
  readonly header: PushHeader;
  readonly ops: readonly PreparedOp[];
  readonly bytes: number;
  /** The running hash after its last line, if the header's is right. */
  readonly chain: string;
}

/** Reads a push; a line that cannot be read is an op that ends rejected (PS5). */
export function preparePush(sha256: Sha256, request: PushRequest): PreparedPush {
  const { device, header, lines } = request;
  let chain = header.chain;
  let bytes = 0;
  const ops: PreparedOp[] = [];
  for (const [index, line] of lines.entries()) {
    const n = header.after + 1 + index;
    const lineBytes = utf8Bytes(line);
    chain = chainNext(sha256, chain, line);
    bytes += lineBytes;
    ops.push({ n, bytes: lineBytes, decoded: readOp(line, n, lineBytes) });
  }
  return { device, header, ops, bytes, chain };
}

function readOp(line: string, n: number, bytes: number): Result<Op, RejectCode> {
  if (bytes > limits.opBytesMax) return fail("too-large");
  const put = readCanonicalPut(line, n);
  return put === undefined ? decodeOp(line, n) : ok(put);
}

/** What the ops of a push surely touch: their records, parents, and children of forgotten ones. */
export function touchedBy(pushes: readonly PreparedPush[]): Missing {
  const touched = emptyMissing();
  const addParent = (parent: RecordId | undefined): void => {
    if (parent !== undefined) touched.records.add(parent);
  };
  for (const { ops } of pushes) {
    for (const { decoded } of ops) {
      if (!decoded.ok) continue;
      const op = decoded.value;
      touched.records.add(op.record);
      if (op.op === "put") addParent(op.parent);
      if (op.op === "forget") touched.parents.add(op.record);
    }
  }
  return touched;
}
