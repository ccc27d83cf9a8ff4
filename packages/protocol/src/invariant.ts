/** A bug: something the code takes for granted is not so. Carries facts, never memory text. */
export class InvariantError extends Error {
  readonly facts: Readonly<Record<string, string | number | boolean>>;

  constructor(message: string, facts: Readonly<Record<string, string | number | boolean>> = {}) {
    super(message);
    this.name = "InvariantError";
    this.facts = facts;
  }
}

/** Throws an {@link InvariantError} unless the condition holds. */
export function assertInvariant(
  condition: boolean,
  message: string,
  facts: Readonly<Record<string, string | number | boolean>> = {},
): asserts condition {
  if (!condition) throw new InvariantError(message, facts);
}
