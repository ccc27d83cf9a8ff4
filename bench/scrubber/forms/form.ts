import { mapPieces, must, secret } from "../corpus/marks.ts";
import type { Random } from "../corpus/random.ts";

/** A name and a marked secret, in the ways in which forms write them. */
export interface Field {
  /** `DB_PASSWORD` */
  readonly env: string;
  /** `db_password` */
  readonly snake: string;
  /** `db-password` */
  readonly kebab: string;
  /** `dbPassword` */
  readonly camel: string;
  /** `Db-Password` */
  readonly header: string;
  /** `DbPassword` */
  readonly pascal: string;
  /** `db password` */
  readonly words: string;
  /** The secret as it is. */
  readonly value: string;
  /** The secret for a shell: in quotes where it needs them. */
  readonly shell: string;
  /** The secret percent-encoded. */
  readonly percent: string;
}

/** A way to write a secret down. */
export interface Form {
  readonly id: string;
  /** Whether it says the name; without one, only secrets with a shape can be told. */
  readonly hasName: boolean;
  /** Whether the value may be any text; else it is one word of few marks. */
  readonly isQuoted: boolean;
  readonly write: (field: Field, random: Random) => string;
}

type Write = Form["write"];

/** Forms that say the name. */
export function namedForms(forms: Readonly<Record<string, Write>>): readonly Form[] {
  return Object.entries(forms).map(([id, write]) => ({ id, write, hasName: true, isQuoted: true }));
}

/** Forms that say the name and hold one word only. */
export function namedWordForms(forms: Readonly<Record<string, Write>>): readonly Form[] {
  return namedForms(forms).map((form) => ({ ...form, isQuoted: false }));
}

/** Forms without a name. */
export function bareForms(forms: Readonly<Record<string, Write>>): readonly Form[] {
  return namedWordForms(forms).map((form) => ({ ...form, hasName: false }));
}

const isPlainWord = /^[\w.+/=:@%~,-]+$/;

/** Whether a form can hold a value as it is. */
export function canHold(form: Form, value: string): boolean {
  return form.isQuoted || /^[\w.+/=:@%~,!^*-]+$/.test(value);
}

/** Writes a name in every style. */
export function createField(env: string, value: string): Field {
  const parts = env.toLowerCase().split("_");
  const capital = parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1));
  const marked = secret(value);
  return {
    env: must(env),
    snake: must(parts.join("_")),
    kebab: must(parts.join("-")),
    camel: must((parts[0] ?? "") + capital.slice(1).join("")),
    header: must(capital.join("-")),
    pascal: must(capital.join("")),
    words: must(parts.join(" ")),
    value: marked,
    shell: isPlainWord.test(value) ? marked : `'${marked}'`,
    percent: mapPieces(marked, encodeURIComponent),
  };
}
