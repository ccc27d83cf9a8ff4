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
import { Looks } from "./looks.ts";
import type { SecretCheck, Suspects, SyncDeps } from "./sync-deps.ts";
import type { NamedRecord } from "./touched.ts";

/** Whose push it is, and where it goes on. */
export interface PushPlace {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  readonly header: PushHeader;
}

/** A push as it came in. */
export interface PushRequest extends PushPlace {
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

/** What reading a push needs. */
export type PrepareDeps = Pick<SyncDeps, "sha256" | "secrets">;

/** Reads a push while it comes. */
export interface PushReading {
  /** Reads more of its lines. */
  add(lines: readonly string[]): void;
  /** All of it, once it is known to be all. */
  end(): Promise<PreparedPush>;
  /** Instead of the end: nobody is to read on for it. */
  drop(): void;
}

/**
 * Begins to read a push; a line that cannot be read is an op that ends rejected (PS5), and so is a
 * secret. Lines are read and hashed as they come, and looked through by whoever has time.
 */
export function readPush({ sha256, secrets }: PrepareDeps, place: PushPlace): PushReading {
  const { namespace, device, header } = place;
  const isEncrypted = isEncryptedId(namespace);
  const rules: LineRules = {
    bytesMax: isEncrypted ? limits.sealedOpBytesMax : limits.opBytesMax,
    mode: isEncrypted ? { kind: "sealed", epoch: header.epoch ?? 0 } : { kind: "plain" },
  };
  const looks = isEncrypted ? undefined : secrets && new Looks(secrets);
  const ops: PreparedOp[] = [];
  let { chain } = header;
  let bytes = 0;
  return {
    add: (lines) => {
      looks?.add(lines);
      for (const line of lines) {
        const n = header.after + 1 + ops.length;
        const lineBytes = utf8Bytes(line);
        chain = chainNext(sha256, chain, line);
        bytes += lineBytes;
        ops.push({ n, bytes: lineBytes, decoded: readOp(line, { n, bytes: lineBytes }, rules) });
      }
    },
    end: async () => {
      const suspects = await looks?.end();
      const push = { device, header, ops, bytes, chain };
      return secrets && suspects ? withoutSecrets(secrets, push, suspects) : push;
    },
    drop: () => looks?.drop(),
  };
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
