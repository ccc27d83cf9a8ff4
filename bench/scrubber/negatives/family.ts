import type { Random } from "../corpus/random.ts";

/** A family of harmless texts that look like secrets. */
export interface Family {
  readonly id: string;
  readonly draw: (random: Random) => string;
}

/** Families whose texts are drawn. */
export function drawn(
  families: Readonly<Record<string, (random: Random) => string>>,
): readonly Family[] {
  return Object.entries(families).map(([id, draw]) => ({ id, draw }));
}

/** Families whose texts are listed, one a line. */
export function listed(families: Readonly<Record<string, string>>): readonly Family[] {
  return Object.entries(families).map(([id, lines]) => ({
    id,
    draw: (random) => random.pick(lines.trim().split("\n")).trim(),
  }));
}
