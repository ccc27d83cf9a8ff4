import type { PersonalKind } from "../personal-rule.ts";
import { idRules } from "../rules/personal-ids.ts";
import { placeRules } from "../rules/personal-places.ts";

/** A kind of personal data, and whether `personalData: true` takes it out. */
export interface PersonalKindFacts {
  readonly kind: PersonalKind;
  /** Only taken out if asked for by name, such as an address in a log that is no person's. */
  readonly isByNameOnly: boolean;
}

/** Every kind of personal data that a scrubber can be asked for. */
export function personalKinds(): readonly PersonalKindFacts[] {
  const byKind = new Map<PersonalKind, boolean>();
  for (const { kind } of idRules()) byKind.set(kind, false);
  for (const { kind, asked = false } of placeRules()) {
    byKind.set(kind, asked && (byKind.get(kind) ?? true));
  }
  return [...byKind].map(([kind, isByNameOnly]) => ({ kind, isByNameOnly }));
}
