/** One change to the text of a source file. */
export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A bug that the simulator has to notice. */
export interface Mutant extends Edit {
  readonly name: string;
  /** The rule of docs/SPEC.md that it breaks. */
  readonly rule: string;
  /** What goes wrong, in one line. */
  readonly why: string;
  /** More edits, where the code keeps the promise in more than one place. */
  readonly also?: readonly Edit[];
}

/** All edits of a mutant. */
export function editsOf(mutant: Mutant): readonly Edit[] {
  const { file, find, replace } = mutant;
  return [{ file, find, replace }, ...(mutant.also ?? [])];
}

/** The text with the edit made; throws where what it looks for is not there exactly once. */
export function edited(text: string, { file, find, replace }: Edit): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${find}`);
  return parts.join(replace);
}
