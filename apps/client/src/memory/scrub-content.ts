import { fail, ok, type JsonObject, type Result, type ValueError } from "@tidemark/protocol";
import type { ScrubbedFields } from "../store/scrubbed-fields.ts";
import {
  cutPart,
  partLimits,
  tooLong,
  type Content,
  type ContentField,
  type TooLong,
} from "./content.ts";
import type { Scrub } from "./scrub.ts";

const contentFields = Object.keys(partLimits) as readonly ContentField[];

/**
 * Fields without secrets (SC51), each judged under its own name. Fails on the first that no store
 * can hold.
 */
export function scrubFields(scrub: Scrub, fields: JsonObject): Result<ScrubbedFields, ValueError> {
  const scrubbed: Record<string, ScrubbedFields[string]> = {};
  for (const [name, value] of Object.entries(fields)) {
    const field = scrub.value(value, name);
    if (!field.ok) return field;
    scrubbed[scrub.text(name)] = field.value;
  }
  return ok(scrubbed);
}

/**
 * Captured content, scrubbed and cut to its limits (SC52). The scrubber sees the whole text before
 * anything is cut, so no cut leaves half a secret, which nothing would recognise any more; what was
 * cut is scrubbed again, because only the scrubber makes what the store takes.
 */
export function scrubCaptured(scrub: Scrub, content: Content): Result<ScrubbedFields, ValueError> {
  const whole = scrubFields(scrub, { ...content });
  if (!whole.ok) return whole;
  const fits = contentFields.every(
    (field) => tooLong(field, whole.value[field] ?? null, partLimits[field]) === undefined,
  );
  return fits ? whole : scrubFields(scrub, { ...cutContent(whole.value) });
}

/** A person's content, scrubbed; what does not fit is refused and never cut (CN12). */
export function scrubWritten(
  scrub: Scrub,
  content: Partial<Content>,
): Result<ScrubbedFields, ValueError | TooLong> {
  for (const field of contentFields) {
    const value = content[field];
    const long = value === undefined ? undefined : tooLong(field, value, partLimits[field]);
    if (long !== undefined) return fail(long);
  }
  return scrubFields(scrub, { ...content });
}

function cutContent(fields: ScrubbedFields): JsonObject {
  const cut = Object.entries(fields).map(([field, value]) => {
    const limit = partLimits[field as ContentField];
    return [field, cutPart(value as unknown as string | readonly string[], limit)] as const;
  });
  return Object.fromEntries(cut);
}
