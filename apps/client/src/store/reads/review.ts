import {
  compareClocks,
  isObject,
  valueHash,
  type JsonObject,
  type LiveRecord,
  type Register,
  type Sha256,
} from "@tidemark/protocol";

/** Fields that say where a record stands; whoever sets them puts no words in front of an agent. */
export const stateFields: ReadonlySet<string> = new Set([
  "pinned",
  "pinnedOrigin",
  "pinnedOf",
  "archived",
  "supersededBy",
  "supersedes",
]);

/** Trust that all devices of one's own have. */
const ownDeviceTrust = 3;

/**
 * What a person has in sight who pins a record: a hash of each field's value, kept with the pin (RC13).
 * Clocks alone would not tell: somebody else may write later under a clock that is older than the pin.
 */
export function reviewOf(sha256: Sha256, fields: JsonObject): JsonObject {
  const seen = Object.entries(fields).filter(([field]) => !stateFields.has(field));
  return Object.fromEntries(seen.map(([field, value]) => [field, valueHash(sha256, value)]));
}

/**
 * Whether this device's person has pinned a record on a device of their own, and what others wrote in
 * it is what stood there then. A pin that a model made is no review: a record could talk it into one,
 * and into an edit after one.
 */
export function isReviewed(
  { registers }: LiveRecord,
  { sha256, trustOf }: { readonly sha256: Sha256; readonly trustOf: (of: Register) => number },
): boolean {
  const { pinned, pinnedOrigin, pinnedOf, editedOrigin } = registers;
  if (pinned?.value !== true || pinnedOrigin?.value !== "user" || pinnedOf === undefined)
    return false;
  const isOwn = (register: Register): boolean => trustOf(register) >= ownDeviceTrust;
  if (![pinned, pinnedOrigin, pinnedOf].every(isOwn)) return false;
  const isByModel = editedOrigin !== undefined && editedOrigin.value !== "user";
  if (isByModel && compareClocks(editedOrigin.clock, pinnedOrigin.clock) > 0) return false;
  const seen = isObject(pinnedOf.value) ? pinnedOf.value : {};
  return Object.entries(registers).every(
    ([field, register]) =>
      stateFields.has(field) ||
      isOwn(register) ||
      seen[field] === valueHash(sha256, register.value),
  );
}
