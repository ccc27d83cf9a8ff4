export { adoptState, type Adopted } from "./adopt.ts";
export { applyOp, isNamedBy, type OpContext, type OpOutcome, type Overwritten } from "./apply.ts";
export {
  auditEvents,
  newsEvents,
  type AuditEvent,
  type AuditFacts,
  type JoinedBy,
  type NewsEvent,
} from "./audit-events.ts";
export {
  canonicalText,
  canonicalValue,
  isCanonical,
  isCanonicalObject,
  isPollutingKey,
  type ValueError,
} from "./canonical.ts";
export { CanonicalPut, readCanonicalPut, type PutHead } from "./canonical-put.ts";
export { readCanonicalRecord } from "./canonical-record.ts";
export { chainNext, chainStart } from "./chain.ts";
export { compareClocks, isLamport, lamportBound, type Clock } from "./clock.ts";
export { collections } from "./collections.ts";
export {
  compactState,
  expandState,
  isSameStamp,
  stampOf,
  type CompactClock,
  type CompactRecord,
  type CompactState,
} from "./compact.ts";
export { conflictId, conflictRecord } from "./conflict.ts";
export {
  decodeBaseEntry,
  decodeOp,
  decodeState,
  isInheritedName,
  type DecodedLine,
  type DecodedState,
} from "./decode.ts";
export {
  bucketCount,
  bucketOf,
  emptyDigest,
  isSameSet,
  recordDigest,
  replaceInSet,
  sumDigests,
  xorDigests,
  type Digest,
  type SetDigest,
} from "./digest.ts";
export {
  errorKinds,
  familyOf,
  isErrorCode,
  type ErrorCode,
  type ErrorFamily,
  type ErrorKind,
  type RejectCode,
} from "./errors.ts";
export { hex, type Sha256 } from "./hash.ts";
export { healRecords, type HealInput, type HealOutcome, type PastClocks } from "./heal.ts";
export { heldHash } from "./held-value.ts";
export {
  base32,
  derivedId,
  deviceId,
  idBytes,
  idPattern,
  isId,
  namespaceId,
  recordId,
  userId,
  writerId,
  type DeviceId,
  type NamespaceId,
  type RecordId,
  type UserId,
  type WriterId,
} from "./ids.ts";
export { assertInvariant, InvariantError } from "./invariant.ts";
export {
  canonicalJson,
  compareText,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
} from "./json.ts";
export { healRaiseMax } from "./heal-raise.ts";
export { limits, type Limits } from "./limits.ts";
export { compareRegisters, isSameValue, mergeRecords, mergeRegisters, winner } from "./merge.ts";
export { localNamespace, unpairedNamespace } from "./namespaces.ts";
export type { OpResult } from "./op-result.ts";
export { generationsMax, mayStandUnder } from "./family.ts";
export { digestOf, fieldCountOf, fieldsOf, NewRecord } from "./new-record.ts";
export {
  opLine,
  registersOfOp,
  type Base,
  type BaseEntry,
  type ForgetOp,
  type Op,
  type PutOp,
  type SetOp,
} from "./op.ts";
export { overlayState, type OutboxOp } from "./overlay.ts";
export {
  judgePosition,
  type ForkCause,
  type OwnPosition,
  type Position,
  type PositionVerdict,
} from "./position.ts";
export {
  highestLamport,
  isTombstone,
  oldestRegister,
  sortedFields,
  tombstone,
  type LiveRecord,
  type RecordState,
  type Register,
  type Registers,
  type Tombstone,
} from "./record.ts";
export { restampOps, type RestampedOp } from "./restamp.ts";
export { fail, ok, type Result } from "./result.ts";
export { isAtLeast, roles, type Role } from "./roles.ts";
export { createKeyRing, type KeyRing, type NamespaceKeys } from "./sealed/key-ring.ts";
export { encryptedNamespaceId, isEncryptedId } from "./sealed/encrypted-id.ts";
export { parseLogBody, type LogBody, type LogKeys, type LogRole } from "./sealed/log-body.ts";
export {
  followLog,
  readLog,
  type LogDeps,
  type LogDevice,
  type LogPin,
  type LogRefusal,
  type LogState,
} from "./sealed/membership-log.ts";
export { openState, type OpenedState } from "./sealed/open-state.ts";
export { parseRecoveryCode, recoveryBytes, recoveryCode } from "./sealed/recovery-code.ts";
export type { SealCipher, Sealing } from "./sealed/seal-cipher.ts";
export { openOp, sealOp } from "./sealed/sealed-op.ts";
export { refusalOfOp, refusalOfState, type SealMode } from "./sealed/sealed-rules.ts";
export { looksSealed, parseSealedText, type SealedText } from "./sealed/sealed-text.ts";
export { openValue, sealValue, type OpenFailure, type ValuePlace } from "./sealed/sealed-value.ts";
export { storedRecord, type StoredRecord } from "./stored.ts";
export { valueHash } from "./value-hash.ts";
export {
  features,
  nonceHeader,
  protocolVersion,
  protocolVersionOldest,
  versionHeader,
} from "./version.ts";
export { isCredibleTime, wallTimeAheadMsMax } from "./wall-time.ts";
export { visibleText } from "./visible-text.ts";
