import type { KindFacts, Part } from "./rule.ts";

/** Kinds of personal data that a scrubber can be asked to take out. */
export type PersonalKind =
  | "email"
  | "phone"
  | "payment_card"
  | "iban"
  | "us_ssn"
  | "us_itin"
  | "uk_nino"
  | "uk_nhs"
  | "es_dni"
  | "es_nie"
  | "fr_nir"
  | "it_fiscal_code"
  | "de_tax_id"
  | "de_id_card"
  | "hr_oib"
  | "pl_pesel"
  | "se_personnummer"
  | "fi_hetu"
  | "nl_bsn"
  | "be_national_number"
  | "br_cpf"
  | "br_cnpj"
  | "in_aadhaar"
  | "in_pan"
  | "ca_sin"
  | "au_tfn"
  | "au_medicare"
  | "za_id"
  | "kr_rrn"
  | "cn_id"
  | "jp_my_number"
  | "sg_nric"
  | "tr_id"
  | "th_id"
  | "ch_ahv"
  | "cl_rut"
  | "ro_cnp"
  | "pt_nif"
  | "no_fodselsnummer"
  | "passport"
  | "passport_lines"
  | "birth_date"
  | "gps_position"
  | "home_user"
  | "ip_address"
  | "mac_address";

/** A number of a person, by the form of its letters and digits without the marks between them. */
export interface IdRule extends KindFacts {
  readonly kind: PersonalKind;
  readonly shapes: readonly (readonly Part[])[];
  /** A checksum or what else must hold; a number for which it fails is another's. */
  readonly valid?: (id: string) => boolean;
  /**
   * Words one of which must stand before the number. Absent where the form and the checksum leave
   * no doubt.
   */
  readonly labels?: readonly string[];
  /**
   * Ways to write the number in groups, as `3-2-4`; `4*` is any number of fours and a rest. They do
   * for a label, and a number that needs no label is written so or without marks.
   */
  readonly groups?: readonly string[];
  /** Ends of what stands before numbers that have the form by chance. */
  readonly others?: RegExp;
}

/** Personal data found by a search of its own: a sticky look at one place of the text. */
export interface PlaceRule extends KindFacts {
  readonly kind: PersonalKind;
  /** Characters at which a look is worth its cost. */
  readonly at: string;
  /** Gives the stretch that is personal, or nothing. */
  readonly find: (text: string, at: number) => PlaceSpan | undefined;
  readonly labels?: readonly string[];
  /** Only taken out if asked for by name. */
  readonly asked?: boolean;
}

/** A stretch of a text. */
export interface PlaceSpan {
  readonly start: number;
  readonly end: number;
  /** Sure without a label, where the rule has labels. */
  readonly isSure?: boolean;
  /** Labels that do for this stretch beside those of its rule. */
  readonly labels?: readonly string[];
}
