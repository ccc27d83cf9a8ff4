import {
  chainNext,
  decodeOp,
  fail,
  isEncryptedId,
  limits,
  ok,
  readCanonicalPut,
  refusalOfOp,
  type DeviceId,
  type NamespaceId,
  type Op,
  type RejectCode,
  type Result,
  type SealMode,
} from "@tidemark/protocol";
import type { PushHeader } from "@tidemark/protocol/wire";
import { utf8Bytes } from "./record-size.ts";
import type { SecretCheck, Suspects, SyncDeps } from "./sync-deps.ts";
import type { NamedRecord } from "./touched.ts";

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

type PrepareDeps = Pick<SyncDeps, "sha256" | "secrets">;

/** Reads a push; a line that cannot be read is an op that ends rejected (PS5), and so is a secret. */
export async function preparePush(deps: PrepareDeps, request: PushRequest): Promise<PreparedPush> {
  const { secrets } = deps;
  if (secrets === undefined || isEncryptedId(request.namespace)) return readPush(deps, request);
  const endLook = secrets.look(request.lines);
  const push = readPush(deps, request);
  return withoutSecrets(secrets, push, await endLook());
}

function readPush({ sha256 }: PrepareDeps, request: PushRequest): PreparedPush {
  const { namespace, device, header, lines } = request;
  const isEncrypted = isEncryptedId(namespace);
  const rules: LineRules = {
    bytesMax: isEncrypted ? limits.sealedOpBytesMax : limits.opBytesMax,
    mode: isEncrypted ? { kind: "sealed", epoch: header.epoch ?? 0 } : { kind: "plain" },
  };
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
      decoded: readOp(line, { n, bytes: lineBytes }, rules),
    });
  }
  return { device, header, ops, bytes, chain };
}

/** What lines have to be in their namespace. */
interface LineRules {
  readonly bytesMax: number;
  readonly mode: SealMode;
}

function readOp(
  line: string,
  { n, bytes }: { readonly n: number; readonly bytes: number },
  { bytesMax, mode }: LineRules,
): PreparedOp["decoded"] {
  if (bytes > bytesMax) return fail("too-large");
  const put = readCanonicalPut(line, n);
  const read = put === undefined ? decodeOp(line, n, bytesMax) : ok(put);
  if (!read.ok) return read;
  const code = refusalOfOp(read.value, mode);
  return code === undefined ? read : fail(code);
}

/** An op that holds a secret ends rejected; nothing of it is kept, or told (SC60). */
function withoutSecrets(
  secrets: SecretCheck,
  push: PreparedPush,
  suspects: Suspects,
): PreparedPush {
  if (suspects.size === 0) return push;
  const ops = push.ops.map((op, place): PreparedOp => {
    const { decoded } = op;
    if (!suspects.has(place) || !decoded.ok || decoded.value.op === "forget") return op;
    return secrets.holdsSecret(decoded.value) ? { ...op, decoded: fail("secret-detected") } : op;
  });
  return { ...push, ops };
}

/** The records that ops name. */
export function namedBy(pushes: readonly PreparedPush[]): readonly NamedRecord[] {
  return pushes.flatMap(({ ops }) =>
    ops.flatMap(({ decoded }) => {
      if (!decoded.ok) return [];
      const op = decoded.value;
      return { id: op.record, parent: op.op === "put" ? op.parent : undefined };
    }),
  );
}
