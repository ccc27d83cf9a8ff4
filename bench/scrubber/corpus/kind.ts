import { createRandom, type Random } from "./random.ts";
import { fill } from "./template.ts";

/** P0 must never be missed; P1 and P2 are secrets as well; P3 is personal data. */
export type Priority = "P0" | "P1" | "P2" | "P3";

/** A kind of secret that is one value, to be put into any form. */
export interface ValueKind {
  readonly id: string;
  readonly priority: Priority;
  /** Names it goes by, written like environment variables. */
  readonly names: readonly string[];
  /** Whether nothing but its name tells it from a harmless value. */
  readonly isNamed: boolean;
  /** What is public of it: scrubbers may leave that. */
  readonly prefix: string;
  readonly draw: (random: Random) => string;
}

/** A kind that brings its own surroundings, such as a URL, a header or a file. */
export interface SnippetKind {
  readonly id: string;
  readonly priority: Priority;
  /** The form under which its cases are counted, such as `header` or `url`. */
  readonly form: string;
  /** Gives a marked text. */
  readonly draw: (random: Random) => string;
  /** Whether a checksum tells it from other numbers. */
  readonly hasChecksum?: boolean;
}

/** Any kind. */
export type Kind = ValueKind | SnippetKind;

type Draw = string | ((random: Random) => string);

/** A kind with a shape: a template, and the names it usually goes by. */
export function shaped(
  priority: Priority,
  id: string,
  template: Draw,
  names: string = "",
): ValueKind {
  return valueKind({ id, priority, isNamed: false }, template, names);
}

/** A kind without a shape: only its name betrays it. */
export function named(priority: Priority, id: string, template: Draw, names: string): ValueKind {
  return valueKind({ id, priority, isNamed: true }, template, names);
}

function valueKind(
  about: Pick<ValueKind, "id" | "priority" | "isNamed">,
  template: Draw,
  names: string,
): ValueKind {
  const draw = typeof template === "string" ? (random: Random) => fill(random, template) : template;
  return {
    ...about,
    prefix: commonPrefix(draw),
    names: names === "" ? [about.id.toUpperCase().replaceAll("-", "_")] : names.split(" "),
    draw,
  };
}

/** Enough draws that no two of them begin alike by chance. */
const samples = 8;

function commonPrefix(draw: (random: Random) => string): string {
  const drawn = Array.from({ length: samples }, (_, at) => draw(createRandom(`prefix ${at}`)));
  return drawn.reduce((prefix, each) => {
    let length = 0;
    while (length < prefix.length && prefix[length] === each[length]) length++;
    return prefix.slice(0, length);
  });
}

/** A kind with its own surroundings. */
export function snippet(
  priority: Priority,
  form: string,
  id: string,
  draw: (random: Random) => string,
): SnippetKind {
  return { id, priority, form, draw };
}
