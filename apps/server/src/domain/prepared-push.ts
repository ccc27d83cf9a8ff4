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
} from "@tidemark/protocol";
import type { PushHeader } from "@tidemark/protocol/wire";
import { utf8Bytes } from "./draft.ts";
import { emptyMissing, type Missing } from "./known.ts";
import type { HoldsSecret, SyncDeps } from "./sync-deps.ts";

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

type PrepareDeps = Pick<SyncDeps, "sha256" | "holdsSecret">;

/** Reads a push; a line that cannot be read is an op that ends rejected (PS5). */
export function preparePush(deps: PrepareDeps, request: PushRequest): PreparedPush {
  const { sha256, holdsSecret } = deps;
  const { device, header, lines } = request;
  let chain = header.chain;
  let bytes = 0;
  const ops: PreparedOp[] = [];
  for (const [index, line] of lines.entries()) {
    const n = header.after + 1 + index;
    const lineBytes = utf8Bytes(line);
    chain = chainNext(sha256, chain, line);
    bytes += lineBytes;
    ops.push({
      n,
      bytes: lineBytes,
      decoded: withoutSecret(line, readOp(line, n, lineBytes), holdsSecret),
    });
  }
  return { device, header, ops, bytes, chain };
}

/** An op that holds a secret ends rejected; nothing of it is kept, or told (SC60). */
function withoutSecret(
  line: string,
  read: PreparedOp["decoded"],
  holdsSecret: HoldsSecret | undefined,
): PreparedOp["decoded"] {
  if (holdsSecret === undefined || !read.ok || read.value.op === "forget") return read;
  return holdsSecret(line, read.value) ? fail("secret-detected") : read;
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
