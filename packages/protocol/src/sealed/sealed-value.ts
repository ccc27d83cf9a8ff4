import { isCanonical } from "../canonical.ts";
import type { Clock } from "../clock.ts";
import type { RecordId } from "../ids.ts";
import { canonicalJson, isArray, type JsonValue } from "../json.ts";
import { isInheritedName } from "../decode.ts";
import type { KeyRing } from "./key-ring.ts";
import { padmeBytes } from "./padme.ts";
import { parseSealedText, sealedText } from "./sealed-text.ts";
import { utf8Length } from "./utf8-length.ts";

/** Where a value stands: what is sealed opens nowhere else (EE1). */
export interface ValuePlace {
  readonly record: RecordId;
  readonly clock: Clock;
  /** Wall time of the write as it stands beside what is sealed, where anybody may bend it. */
  readonly at: number;
}

/** A field as a member writes it. */
export interface FieldContent {
  readonly field: string;
  readonly value: JsonValue;
}

/** A field as its members read it. */
export interface OpenField extends FieldContent {
  /** Wall time of the write, as its writer has sealed it. */
  readonly at: number;
}

/**
 * Seals a field's name and value for one place (EE1), under the newest epoch; undefined without its
 * key. The nonce follows from place and content (a synthetic one, as in RFC 8452): sealing twice
 * gives the same bytes, and no bad random number makes two contents share a nonce.
 */
export function sealValue(
  ring: KeyRing,
  place: ValuePlace,
  { field, value }: FieldContent,
): string | undefined {
  const { epoch, cipher } = ring;
  const keys = ring.writerKeys(epoch, place.clock.writer);
  if (keys === undefined) return undefined;
  const fieldId = ring.fieldId(place.record, field);
  const additional = additionalOf(ring, place, { epoch, fieldId });
  const text = padded(canonicalJson([field, value, place.at]));
  const nonce = cipher.hmac(keys.nonce, `${additional}\n${text}`).subarray(0, nonceBytes);
  return sealedText({ epoch, body: cipher.encrypt(keys.seal, { nonce, text, additional }) });
}

const nonceBytes = 12;

/** How a sealed value can fail to open. */
export type OpenFailure =
  /** It is no sealed value at all: in an encrypted namespace nobody who is a member writes that. */
  | "plain"
  /** The key of its epoch is not here. */
  | "no-key"
  /** It was changed, or belongs to another place. */
  | "forged";

/** Opens what stands under a field's id at a place (EE1). Never throws. */
export function openValue(
  ring: KeyRing,
  place: ValuePlace,
  { fieldId, sealed }: { readonly fieldId: string; readonly sealed: JsonValue },
): OpenField | OpenFailure {
  const parsed = parseSealedText(sealed);
  if (parsed === undefined) return "plain";
  const keys = ring.writerKeys(parsed.epoch, place.clock.writer);
  if (keys === undefined) return "no-key";
  const { epoch, body } = parsed;
  const opened = (additional: string): string | undefined =>
    ring.cipher.decrypt(keys.seal, { body, additional });
  const text =
    opened(additionalOf(ring, place, { epoch, fieldId })) ??
    opened(earlierAdditionalOf(ring, place, { epoch, fieldId }));
  const open = text === undefined ? undefined : parseField(text, place);
  // Members agree on a field's id; another one would part the field into two.
  return open === undefined || ring.fieldId(place.record, open.field) !== fieldId ? "forged" : open;
}

interface Under {
  readonly epoch: number;
  readonly fieldId: string;
}

/**
 * What a value is bound to. Wall time is none of it: replicas agree on the later one of two (MG3), so
 * whoever sends a value on under another time would have it open nowhere.
 */
function additionalOf(
  { namespace }: KeyRing,
  { record, clock: { lamport, writer } }: ValuePlace,
  { epoch, fieldId }: Under,
): string {
  return canonicalJson(["tidemark value 2", namespace, record, fieldId, lamport, writer, epoch]);
}

/** What values were bound to before: to the wall time that stands beside them as well. */
function earlierAdditionalOf(
  { namespace }: KeyRing,
  { record, clock: { lamport, writer }, at }: ValuePlace,
  { epoch, fieldId }: Under,
): string {
  return canonicalJson([
    "tidemark value 1",
    namespace,
    record,
    fieldId,
    lamport,
    writer,
    at,
    epoch,
  ]);
}

// White space behind a JSON text says nothing.
function padded(text: string): string {
  const bytes = utf8Length(text);
  return text + " ".repeat(padmeBytes(bytes) - bytes);
}

// A member's device made it, but of a later version perhaps, or a broken one.
function parseField(text: string, place: ValuePlace): OpenField | undefined {
  const parsed = parseJson(text);
  if (!isArray(parsed) || parsed.length < 2 || parsed.length > 3) return undefined;
  const [field, value, at = place.at] = parsed;
  if (!isFieldName(field) || !isWallTime(at)) return undefined;
  return value !== undefined && isCanonical(field) && isCanonical(value)
    ? { field, value, at }
    : undefined;
}

function isFieldName(name: JsonValue | undefined): name is string {
  return typeof name === "string" && name !== "" && !isInheritedName(name);
}

function isWallTime(at: JsonValue): at is number {
  return typeof at === "number" && Number.isSafeInteger(at) && at >= 0;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
